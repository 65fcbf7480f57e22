"""Chosen readings for voices that read characters: where they could be read otherwise, a homophone stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from edged.text.sentence import Sentence

# The common characters (first level of GB 2312) that have one reading in 98 of 100 words of pypinyin's phrase
# dictionary, by that reading: those that have it in all words come first, then those in most words. Looking
# them up there when they are needed would take 0.3 s and 60 MB.
_CHARACTERS = """
ai1 哀哎|ai2 癌皑|ai3 矮蔼|ai4 爱碍隘|an1 安鞍氨|an4 案暗按岸|ang2 昂|ang4 盎|ao2 熬翱|ao3 袄|ao4 奥傲澳
ba1 八疤笆|ba2 拔跋|ba3 靶|ba4 罢霸坝爸|bai2 白|bai3 百摆|bai4 败拜稗|ban1 班斑搬颁|ban3 板版
ban4 半办拌伴扮瓣绊|bang1 帮邦梆|bang3 榜绑|bang4 棒谤镑|bao1 包胞褒|bao2 雹|bao3 保宝饱|bao4 报抱爆豹鲍
bei1 悲杯卑碑|bei3 北|bei4 备辈倍贝狈惫焙钡|ben3 本苯|ben4 笨|beng1 崩|beng4 蹦迸|bi1 逼|bi2 鼻|bi3 笔比彼鄙
bi4 必闭避毕碧弊壁蔽毙敝币痹毖蓖陛臂|bian1 编鞭边|bian3 贬|bian4 变辩辨遍辫|biao1 标膘彪|biao3 表|bie1 鳖憋
bie2 别|bin1 宾彬滨斌濒|bin4 摈|bing1 兵冰|bing3 饼秉柄丙炳|bing4 病并|bo1 波拨播玻钵菠
bo2 博勃脖膊帛搏驳箔渤舶铂|bu3 补捕哺|bu4 步布部簿埠怖|ca1 擦|cai1 猜|cai2 才财材裁|cai3 彩睬采|cai4 菜
can1 餐|can2 残蚕惭|can3 惨|can4 灿|cang1 苍仓舱沧|cao1 操糙|cao2 槽曹|cao3 草|ce4 测策册厕|ceng2 层|cha1 插
cha2 察茶茬搽|cha4 岔诧|chai1 拆|chai2 柴豺|chan1 搀|chan2 蝉缠谗馋|chan3 产铲阐|chang1 昌猖|chang2 肠常尝偿
chang3 厂敞|chang4 唱畅|chao1 超钞抄|chao2 潮巢|chao3 吵炒|che1 车|che3 扯|che4 彻掣撤澈|chen2 尘沉臣陈晨辰
chen4 趁衬|cheng1 撑|cheng2 成城承程诚惩呈|cheng3 逞骋|cheng4 秤|chi1 吃痴|chi2 持池驰迟弛|chi3 齿耻侈尺
chi4 赤翅炽|chong1 充|chong2 虫崇|chong3 宠|chou1 抽|chou2 愁筹绸酬稠踌畴|chou3 丑瞅|chu1 出初
chu2 除锄橱厨雏滁|chu3 储础楚|chu4 触搐矗|chuan1 穿川|chuan2 船椽|chuan3 喘|chuan4 串|chuang1 窗疮|chuang2 床
chuang3 闯|chui1 吹炊|chui2 垂锤|chun1 春椿|chun2 唇纯淳醇|chun3 蠢|chuo1 戳|ci2 词辞磁慈雌瓷茨|ci3 此
ci4 次赐|cong1 聪葱匆|cong2 丛从|cou4 凑|cu1 粗|cu4 醋促|cuan1 蹿|cuan4 窜篡|cui1 摧催崔|cui4 翠脆瘁|cun1 村
cun2 存|cun4 寸|cuo1 磋|cuo4 错措|da1 搭|da2 达|da3 打|dai1 呆|dai3 歹傣|dai4 待带代戴袋贷殆|dan1 丹耽郸
dan3 胆掸|dan4 淡旦蛋诞惮氮|dang3 党挡|dang4 荡档|dao1 刀|dao3 导蹈岛捣祷|dao4 到盗稻悼道|de2 德|deng1 灯登
deng3 等|deng4 瞪凳|di1 低滴堤|di2 敌涤嫡笛迪|di3 底抵|di4 帝蒂第递缔|dian1 颠掂|dian3 点典碘
dian4 电店垫殿甸佃淀惦靛|diao1 雕刁凋碉叼|diao4 吊掉钓|die1 爹|die2 叠迭蝶谍|ding1 丁叮|ding3 鼎顶
ding4 定订锭|diu1 丢|dong1 东冬|dong3 懂董|dong4 动冻栋|dou1 兜|dou3 抖陡|dou4 豆逗痘|du1 督|du2 毒独犊读
du3 睹赌堵|du4 杜妒渡镀|duan1 端|duan3 短|duan4 断段锻缎|dui1 堆|dui4 对队兑|dun1 墩|dun4 遁钝盾|duo1 多掇
duo2 夺|duo3 躲|duo4 舵剁跺|e2 额蛾鹅讹俄峨娥|e4 饿扼遏鄂|en1 恩|er2 而|er3 耳尔饵洱|er4 二贰|fa2 罚伐乏筏阀
fa3 法|fa4 珐|fan1 翻帆藩|fan2 繁凡樊矾钒烦|fan3 反返|fan4 饭犯贩泛范|fang1 芳方|fang2 防妨肪房|fang3 访纺
fang4 放|fei1 飞非啡|fei2 肥|fei3 匪诽|fei4 费废肺沸吠|fen1 纷氛芬酚|fen2 焚坟|fen3 粉|fen4 份奋愤粪忿
feng1 风封蜂丰锋峰疯烽枫|feng2 逢|feng3 讽|feng4 凤奉|fu1 肤敷孵|fu2 福伏浮扶符幅辐弗袱俘氟服
fu3 府俯腐釜辅抚斧腑|fu4 复负附富腹妇副覆赴付赋缚阜讣|gai1 该|gai3 改|gai4 盖概钙|gan1 甘肝竿柑|gan3 感敢赶秆
gan4 赣|gang1 钢刚纲缸冈肛|gang3 港|gang4 杠|gao1 高糕羔篙|gao3 稿|ge1 歌戈割疙胳鸽哥|ge2 隔阁|ge4 铬各
gen1 根跟|geng1 耕羹庚|geng3 梗埂耿|gong1 公工功宫攻弓躬恭龚|gong3 拱汞巩|gong4 共贡|gou1 钩沟|gou3 狗苟
gou4 垢构够购|gu1 孤姑沽辜箍菇|gu3 古鼓股蛊|gu4 顾故固雇|gua1 瓜刮|gua3 寡剐|gua4 挂褂|guai1 乖|guai3 拐
guai4 怪|guan1 关官棺|guan3 管馆|guan4 贯灌罐惯|guang1 光|guang3 广|gui1 归规圭瑰闺|gui3 鬼轨诡癸
gui4 贵柜桂跪刽|gun3 滚辊|gun4 棍|guo1 锅郭|guo2 国|guo3 果裹|guo4 过|hai2 孩骸|hai3 海|hai4 害骇氦|han1 憨
han2 寒含函韩|han3 喊|han4 汉旱撼悍焊翰|hang2 航|hao2 毫豪嚎壕|hao4 耗浩|he2 何河盒涸禾阂合|he4 鹤贺褐赫
hei1 黑嘿|hen2 痕|hen3 狠很|hen4 恨|heng1 亨|heng2 衡恒|hong1 轰烘|hong2 鸿洪宏弘虹红|hou2 猴喉|hou3 吼
hou4 后厚候|hu1 呼乎忽|hu2 胡狐湖壶葫弧蝴瑚|hu3 虎|hu4 互护沪户|hua1 花|hua2 滑猾|hua4 话画化|huai2 怀槐淮
huan1 欢|huan2 环桓|huan3 缓|huan4 换患幻唤涣焕宦豢|huang1 荒慌|huang2 黄皇惶簧煌凰蝗|huang3 谎恍幌
hui1 灰挥徽恢辉|hui2 回蛔|hui3 毁悔|hui4 汇讳惠晦秽贿诲慧绘卉烩|hun1 昏婚|hun2 魂浑|huo2 活|huo3 火
huo4 货祸获惑或霍|ji1 机鸡积击激饥肌基箕圾讥畸|ji2 极及急集疾级即吉棘嫉辑|ji3 己挤
ji4 计纪记际技剂继忌季祭伎寂寄既冀悸蓟迹|jia1 加佳嘉家|jia2 颊荚|jia3 甲钾|jia4 价架驾嫁稼
jian1 肩奸坚兼尖艰煎缄歼笺|jian3 简减俭检拣剪碱茧捡柬硷|jian4 建箭鉴件剑贱溅健践舰键荐饯涧|jiang1 江疆僵姜
jiang3 奖讲桨蒋|jiang4 匠酱|jiao1 交焦胶浇骄娇椒郊礁|jiao3 脚矫缴搅绞饺铰|jiao4 较叫轿窖酵|jie1 街接皆阶
jie2 竭劫截捷洁睫杰节|jie3 姐|jie4 界借介戒届诫疥|jin1 金今筋斤津巾襟|jin3 锦紧仅谨|jin4 进近浸晋烬靳
jing1 经精惊京晶荆兢睛鲸茎粳|jing3 井警|jing4 净镜静敬境径竞竟痉靖|jiong3 窘炯|jiu1 究纠揪|jiu3 酒九久灸玖韭
jiu4 就旧救臼舅咎疚厩|ju1 居拘驹鞠狙|ju2 局菊|ju3 举矩咀|ju4 聚具俱剧巨距锯惧拒炬踞句据|juan1 捐娟鹃
juan4 倦眷绢|jue2 绝决爵掘抉攫诀|jun1 军君均钧|jun4 峻骏俊郡竣|ka1 喀|kai1 开|kai3 楷慨凯|kan1 刊堪勘
kan3 坎砍|kang1 康糠慷|kang4 抗亢炕|kao3 考拷烤|kao4 靠|ke1 科苛磕柯颗|ke3 渴可|ke4 客克刻课|ken3 肯垦啃恳
keng1 坑|kong3 孔恐|kong4 控|kou1 抠|kou3 口|kou4 扣寇|ku1 枯哭窟|ku3 苦|ku4 库裤酷|kua1 夸|kua3 垮|kua4 跨
kuai4 快块筷侩|kuan1 宽|kuan3 款|kuang1 匡筐|kuang2 狂|kuang4 矿旷况眶|kui1 亏窥盔岿|kui2 葵|kui4 愧馈|kun1 坤
kun4 困|kuo4 阔扩廓|la1 垃|la3 喇|la4 蜡辣|lai2 莱来|lai4 赖|lan2 兰栏蓝阑篮拦澜谰|lan3 懒揽览缆|lan4 烂滥
lang2 狼廊|lang3 朗|lang4 浪|lao1 捞|lao2 劳牢|lao3 老|lao4 涝|lei2 雷镭|lei3 磊垒蕾|lei4 类泪|leng3 冷
li2 离璃漓犁厘梨篱狸黎|li3 理礼鲤里李|li4 力利立厉历例沥隶栗砾励吏粒痢荔俐傈|lian2 连联廉怜莲帘涟镰|lian3 脸敛
lian4 练恋炼链|liang2 良梁粮粱|liang3 两|liang4 亮谅辆晾|liao2 撩疗寥聊辽|liao4 料撂镣|lie4 裂列烈劣猎
lin2 林临鳞邻磷霖琳|lin3 凛|lin4 吝赁|ling2 零灵铃陵龄凌羚伶菱玲|ling3 领岭|ling4 另|liu2 流留榴瘤馏刘琉
liu3 柳|liu4 六|long2 龙聋咙窿|long3 拢垄陇|lou2 楼娄|lou3 篓|lou4 漏陋|lu2 炉芦卢庐颅|lu3 鲁卤掳虏
lu4 鹿录戮禄赂麓潞路|luan2 峦挛孪滦|luan3 卵|luan4 乱|lun2 轮伦沦仑|lun4 论|luo2 螺萝锣箩逻骡|luo3 裸
luo4 骆洛|lv2 驴|lv3 履旅缕屡吕侣铝|lv4 虑律滤氯|lve4 略掠|ma1 妈|ma2 麻|ma3 马码玛|ma4 骂|mai3 买|mai4 卖麦迈
man2 瞒蛮馒|man3 满|man4 漫慢曼|mang2 盲忙芒茫|mao1 猫|mao2 毛茅矛锚|mao3 卯铆|mao4 貌帽茂贸冒
mei2 眉梅煤霉媒枚玫酶|mei3 美每镁|mei4 昧媚寐妹|men2 门|meng2 盟萌檬|meng3 猛锰|meng4 梦孟|mi2 迷弥谜醚|mi3 米
mi4 密蜜觅幂|mian2 棉眠绵|mian3 勉冕缅|mian4 面|miao2 苗描瞄|miao3 渺秒|miao4 妙庙|mie4 灭蔑|min2 民
min3 敏闽悯抿|ming2 名明鸣铭螟|ming4 命|miu4 谬|mo1 摸|mo2 魔膜蘑|mo4 末墨默漠沫陌寞莫|mou2 谋|mu3 母拇亩姆牡
mu4 目木暮幕牧慕墓睦募穆|na2 拿|na4 纳那呐钠|nai3 乃氖|nai4 奈耐|nan2 男南|nao2 挠|nao3 脑恼|nao4 闹|nei3 馁
nei4 内|nen4 嫩|neng2 能|ni2 尼倪霓|ni3 你拟|ni4 逆匿腻|nian1 拈蔫|nian2 年|nian3 捻碾撵|nian4 念|niang2 娘
nie1 捏|nie4 啮孽涅镊镍聂|nin2 您|ning2 凝狞|niu2 牛|niu3 扭纽钮|nong2 农浓脓|nu2 奴|nu3 努|nu4 怒|nuan3 暖
nuo2 挪|nuo4 诺懦糯|nv3 女|nve4 虐|ou1 欧殴鸥|ou3 偶藕|pa1 啪趴|pa2 琶爬|pa4 怕|pai1 拍|pai2 牌徘排|pai4 派
pan1 攀潘|pan2 盘磐|pan4 判盼叛畔|pang1 乓|pang2 旁庞|pang3 耪|pao1 抛|pao2 袍咆|pao3 跑|pei1 胚呸|pei2 陪赔培
pei4 配佩沛|pen1 喷|pen2 盆|peng1 烹|peng2 蓬篷棚朋膨鹏|peng3 捧|peng4 碰|pi1 披批坯霹砒|pi2 皮疲琵脾啤毗
pi3 匹痞|pi4 僻屁譬|pian1 篇偏|pian4 骗|piao1 飘|piao2 瓢|piao4 票|pin1 拼|pin2 贫频|pin3 品|pin4 聘|ping1 乒
ping2 平评凭瓶苹萍坪|po1 泼坡|po4 破魄粕|pou1 剖|pu1 扑|pu2 蒲|pu3 普谱浦圃|qi1 七妻欺戚凄漆柒期
qi2 旗骑棋崎歧脐畦其齐|qi3 起企乞启|qi4 器弃契泣汽砌讫迄气|qia1 掐|qia4 洽恰|qian1 千迁牵签谦仟钎扦
qian2 前钱潜乾钳黔|qian3 浅遣谴|qian4 欠堑歉|qiang1 枪腔羌|qiang2 墙蔷|qiang4 呛|qiao1 敲橇锹|qiao2 桥乔侨瞧
qiao3 巧|qiao4 俏窍峭撬|qie3 且|qie4 窃怯|qin1 侵钦|qin2 琴勤擒秦禽芹|qin3 寝|qin4 沁|qing1 清轻青倾卿氢
qing2 情晴氰擎|qing3 请顷|qing4 庆|qiong2 穷琼|qiu1 秋丘邱|qiu2 求球囚酋|qu1 区趋屈驱躯|qu2 渠|qu3 取娶龋
qu4 去趣|quan2 权全拳泉颧痊|quan3 犬|quan4 劝|que1 缺|que2 瘸|que4 确却鹊榷|qun2 群裙|ran2 然燃|ran3 染
rang2 瓤|rang3 壤攘|rang4 让|rao2 饶|rao3 扰|rao4 绕|re3 惹|re4 热|ren2 人仁壬|ren3 忍|ren4 认刃韧纫|reng2 仍
ri4 日|rong2 容荣融戎溶绒茸蓉熔|rong3 冗|rou2 柔揉|rou4 肉|ru2 如儒茹孺蠕|ru3 辱乳汝|ru4 入褥|ruan3 软|rui3 蕊
rui4 锐瑞|run4 润闰|ruo4 弱若|sa3 洒|sa4 萨|sai1 腮鳃|sai4 赛|san1 三叁|san3 伞|sang1 桑|sang3 嗓|sao1 骚搔
sao3 嫂|se4 瑟涩|sen1 森|seng1 僧|sha1 沙杀砂纱|sha2 啥|sha3 傻|shai1 筛|shai4 晒|shan1 山衫删煽珊|shan3 闪陕
shan4 善擅膳赡缮|shang1 商伤墒|shang3 赏晌|shang4 尚上|shao1 烧梢捎|shao2 勺韶|shao4 绍哨邵|she1 奢赊|she2 舌
she4 社摄设涉赦慑|shen1 身深伸申呻娠砷绅|shen2 神|shen3 审婶|shen4 慎肾渗|sheng1 声升牲甥生|sheng2 绳
sheng4 胜圣剩|shi1 失师施诗湿尸狮虱|shi2 时十实蚀石食识|shi3 使始史矢驶屎
shi4 事世市是视势室式适试饰释誓示侍逝噬拭仕嗜恃柿士|shou1 收|shou3 首守手|shou4 受瘦寿授兽售
shu1 书疏殊输舒枢梳蔬抒淑叔|shu2 熟赎孰|shu3 鼠暑薯署黍蜀曙|shu4 树束竖述漱戍恕|shua3 耍|shuai1 衰摔|shuai3 甩
shuai4 帅|shuan1 栓|shuang1 霜双|shuang3 爽|shui3 水|shui4 税睡|shun3 吮|shun4 顺瞬舜|shuo1 说|shuo4 硕烁朔
si1 丝私斯司撕嘶|si3 死|si4 四肆寺饲嗣|song1 松|song3 耸怂|song4 送诵宋颂讼|sou1 搜艘|su1 苏酥|su2 俗
su4 素速粟塑溯肃僳诉|suan1 酸|suan4 算蒜|sui1 虽|sui2 随隋绥|sui3 髓|sui4 岁碎祟穗|sun1 孙|sun3 损笋|suo1 蓑
suo3 所索锁琐|ta1 他塌|ta3 塔獭|ta4 踏挞蹋|tai1 胎|tai2 抬台|tai4 太泰态汰酞|tan1 贪摊滩坍瘫|tan2 谈坛檀谭痰
tan3 坦袒毯|tan4 叹探炭碳|tang2 堂糖唐塘搪棠|tang3 躺|tang4 烫|tao1 滔涛绦|tao2 桃逃陶淘萄|tao3 讨|tao4 套
te4 特|teng2 藤疼誊|ti1 剔梯锑|ti2 题啼蹄提|ti3 体|ti4 替涕惕剃嚏屉|tian1 天添|tian2 填田甜恬|tian3 腆
tiao2 条迢|tiao4 跳眺|tie1 贴|tie3 铁|ting1 厅烃听|ting2 庭停亭廷|ting3 艇挺|tong1 通|tong2 童铜桐彤瞳同
tong3 统桶捅|tong4 痛|tou1 偷|tou2 投|tou4 透|tu1 突秃凸|tu2 图涂徒途屠|tu3 土|tu4 兔|tuan2 团|tui1 推|tui2 颓
tui3 腿|tui4 退|tun1 吞|tun2 屯臀|tuo1 拖托脱|tuo2 陀驼鸵|tuo3 妥椭|tuo4 唾|wa1 哇挖蛙|wa2 娃|wa3 瓦|wa4 袜
wai1 歪|wai4 外|wan1 弯湾豌|wan2 玩丸完顽烷|wan3 晚碗宛婉挽惋|wan4 腕万|wang1 汪|wang2 亡王|wang3 往网枉
wang4 望忘妄旺|wei1 微危威巍|wei2 维违围惟韦潍|wei3 伪纬伟萎苇尾|wei4 未味位卫畏胃谓魏慰渭喂|wen1 温
wen2 文闻纹蚊|wen3 稳吻|wen4 问|weng1 翁|weng4 瓮|wo1 窝蜗|wo3 我|wo4 卧握斡沃|wu1 屋污乌巫呜诬钨
wu2 吾吴梧毋芜无|wu3 五舞武伍午侮|wu4 物务雾误悟勿晤坞戊|xi1 夕析稀吸膝希惜犀悉熙昔嘻锡晰汐烯熄牺硒西息
xi2 席习袭媳檄|xi3 洗喜|xi4 戏细隙|xia1 瞎|xia2 暇霞狭侠峡匣辖|xia4 下夏|xian1 先仙掀锨|xian2 贤弦闲衔嫌咸涎舷
xian3 险显|xian4 线现县限陷献腺馅|xiang1 香乡箱湘厢襄镶|xiang2 详祥翔|xiang3 想响享|xiang4 向象像项橡
xiao1 消销宵霄萧硝|xiao2 淆|xiao3 小晓|xiao4 笑效孝啸|xie1 些歇蝎楔|xie2 协鞋斜携胁谐邪|xie3 写
xie4 泄屑泻卸懈蟹械谢|xin1 心新薪欣辛忻锌|xin4 衅信|xing1 星腥惺猩|xing2 形型刑|xing3 醒|xing4 性姓幸杏
xiong1 胸兄凶汹匈|xiong2 雄熊|xiu1 休修羞|xiu3 朽|xiu4 秀绣袖锈嗅|xu1 虚须嘘需墟|xu2 徐|xu3 许
xu4 序续绪蓄婿恤叙絮旭酗|xuan1 宣轩喧|xuan2 悬旋玄|xuan3 选癣|xuan4 眩绚|xue1 靴薛|xue2 学穴|xue3 雪|xun1 勋
xun2 循巡询|xun4 训逊驯讯殉迅汛|ya1 鸭押鸦丫压|ya2 牙涯崖芽蚜|ya3 雅|ya4 亚讶|yan1 烟焉淹阉
yan2 言研颜炎严盐岩延沿阎|yan3 眼掩演衍|yan4 艳验雁厌焰宴砚堰谚唁|yang1 央殃秧鸯|yang2 羊扬洋阳杨佯疡
yang3 仰养氧|yang4 样漾|yao1 腰妖邀|yao2 摇遥瑶谣窑尧|yao3 咬舀|yao4 药耀|ye1 椰|ye2 爷|ye3 野也冶
ye4 业夜液曳腋页叶|yi1 依医伊揖壹铱|yi2 疑移仪夷颐姨彝胰|yi3 以蚁已椅倚矣乙
yi4 意义异易议逸艺翼益役溢亦谊译抑邑疫亿忆毅绎裔翌诣|yin1 音因阴茵姻|yin2 银淫吟寅|yin3 引隐|yin4 印
ying1 英鹰缨婴樱|ying2 营迎盈蝇赢萤荧莹|ying3 影颖|ying4 硬映|yong1 庸拥雍痈臃|yong3 涌勇永咏泳踊蛹|yong4 用
you1 忧优幽悠|you2 油游由犹尤邮铀|you3 有酉友|you4 右幼又诱佑釉|yu1 淤迂|yu2 鱼于余愚逾渝榆渔娱隅舆虞俞愉盂
yu3 雨羽宇禹屿语|yu4 玉欲育遇誉预狱浴域郁喻裕寓御驭愈峪|yuan1 冤渊鸳|yuan2 员原圆源元缘园援猿垣辕袁|yuan3 远
yuan4 怨院愿|yue1 约曰|yue4 月越岳悦阅跃粤|yun2 云匀耘郧|yun3 允陨|yun4 运韵蕴孕酝|za1 匝|za2 杂砸|zai1 灾栽哉
zai3 宰|zai4 在再|zan4 赞暂|zang1 赃|zang4 葬|zao1 遭糟|zao2 凿|zao3 早枣藻澡|zao4 造皂灶燥躁噪|ze2 泽责则
zei2 贼|zen3 怎|zeng1 增憎|zeng4 赠|zha1 渣|zha2 闸铡|zha3 眨|zha4 诈榨|zhai1 摘斋|zhai2 宅|zhai3 窄
zhai4 债寨|zhan1 沾瞻毡|zhan3 展斩盏崭|zhan4 战站栈绽蘸|zhang1 章张彰樟漳|zhang3 掌|zhang4 丈账障仗帐杖胀瘴
zhao1 招昭|zhao3 找沼|zhao4 照召罩兆赵肇|zhe1 遮|zhe2 辙哲蛰|zhe3 者锗|zhe4 这浙蔗|zhen1 真针珍贞侦斟臻砧
zhen3 枕诊|zhen4 振阵震镇|zheng1 争征蒸狰睁|zheng3 整拯|zheng4 政证郑正|zhi1 枝织支脂肢汁蜘芝之知
zhi2 直执值职植侄|zhi3 指止纸旨址趾|zhi4 制志至治质致智置峙掷炙帜滞秩挚痔稚|zhong1 终钟忠衷|zhong3 肿
zhong4 众仲|zhou1 周舟州洲诌|zhou3 肘帚|zhou4 骤昼皱咒宙|zhu1 珠朱诸猪诛株蛛|zhu2 竹逐烛|zhu3 主瞩嘱拄煮
zhu4 助住筑柱注铸祝驻贮蛀|zhua1 抓|zhuan1 专砖|zhuan4 篆|zhuang1 装妆庄桩|zhuang4 状壮撞|zhui1 追锥
zhui4 坠赘缀|zhun1 谆|zhun3 准|zhuo1 捉拙桌|zhuo2 卓浊酌灼|zi1 资姿孜滋淄咨|zi3 紫籽滓|zi4 自渍字
zong1 宗踪综鬃棕|zong3 总|zong4 纵|zou1 邹|zou3 走|zou4 奏|zu1 租|zu2 足族|zu3 组祖阻诅|zuan3 纂|zui3 嘴
zui4 罪醉最|zun1 尊遵|zuo2 昨|zuo3 左佐|zuo4 坐做座作
"""
UNAMBIGUOUS: Mapping[str, str] = dict(
    entry.split() for entry in _CHARACTERS.strip().replace("\n", "|").split("|")
)


@dataclass(frozen=True, slots=True)
class Respelt:
    """A sentence's words, character for character; `left` ("得 dei3") are those without a homophone."""

    spoken: str
    left: tuple[str, ...]


def respelt(sentence: Sentence) -> Respelt:
    """`sentence` in characters that are read as its `pinyin` says, whatever is beside them.

    A character without another reading stays. So does one whose reading has no homophone in the table: every
    neutral tone, and one syllable in five.
    """
    chars = list(sentence.spoken)
    left: list[str] = []
    for pinyin in sentence.pinyin:
        for place, reading in enumerate(pinyin.syllables, pinyin.start):
            homophones = UNAMBIGUOUS.get(reading)
            if homophones is None:
                left.append(f"{chars[place]} {reading}")
            elif chars[place] not in homophones:
                chars[place] = homophones[0]
    return Respelt("".join(chars), tuple(left))
