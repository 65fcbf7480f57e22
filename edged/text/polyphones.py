"""Readings that pypinyin's own dictionary lacks or gets wrong for announcements.

A reading is pinyin with a tone digit per character: 1 to 4, 5 for the neutral tone, ü written v.
"""

from __future__ import annotations

import re

# Alone, outside every known word.
SINGLES = {"长": "chang2", "得": "de5"}

# Single characters decided by their neighbours. The match is the character itself.
CONTEXT: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), reading)
    for pattern, reading in (
        (r"(?<=[一二两三四五六七八九十几每百千])只(?![有能是要会需])", "zhi1"),
        (r"(?<=(慢|轻|静|悄|好|渐|紧|远|早|快|稳|缓))地(?=[^铁方面点址区板])", "de5"),
        (r"为(?=[〇零一二三四五六七八九十两百负准])", "wei2"),
        (r"(?<=[额名称价度码数温压量])为(?![了您你我他她它这那什何])", "wei2"),
        (r"(?<=[还就都也总又我你您他她们])得(?![到知出分])", "dei3"),
        (r"(?<=.)(?<![女男婴幼孤胎少侄孙小患])儿(?![童科女子孙歌媳])", "er5"),
        (r"(?<=[二四六七八九十几])行(?![驶走程进人政])", "hang2"),
        (r"重(?=[一二两三四五六七八九十百几零])", "zhong4"),
    )
)

_READINGS = """
支行 zhi1 hang2|总行 zong3 hang2|我行 wo3 hang2|他行 ta1 hang2|行号 hang2 hao4|发卡行 fa1 ka3 hang2
开户行 kai1 hu4 hang2|卡号 ka3 hao4|卡口 ka3 kou3|卡槽 ka3 cao2|卡片 ka3 pian4|刷卡 shua1 ka3
插卡 cha1 ka3|发卡 fa1 ka3|排行 pai2 hang2|行间 hang2 jian1|一行 yi4 hang2|两行 liang3 hang2
得到 de2 dao4|得出 de2 chu1|得分 de2 fen1|得知 de2 zhi1|得奖 de2 jiang3|得以 de2 yi3|不得 bu4 de2
流血 liu2 xue4|为准 wei2 zhun3|更名为 geng1 ming2 wei2|大夫 dai4 fu5|会计 kuai4 ji4|重开 chong2 kai1
重新 chong2 xin1|重试 chong2 shi4|重置 chong2 zhi4|重拨 chong2 bo1|重播 chong2 bo1|重发 chong2 fa1
重连 chong2 lian2|重扫 chong2 sao3|重打 chong2 da3|重印 chong2 yin4|重算 chong2 suan4|重输 chong2 shu1
数一数 shu3 yi1 shu3|空位 kong4 wei4|空车位 kong4 che1 wei4|空格 kong4 ge2|空座 kong1 zuo4
背着 bei1 zhe5|差一点 cha4 yi1 dian3|还差 hai2 cha4|量血压 liang2 xue4 ya1|抽血处 chou1 xue4 chu4
这儿 zhe4 er5|那儿 na4 er5|哪儿 na3 er5|一年级 yi1 nian2 ji2|一等座 yi1 deng3 zuo4|一路 yi1 lu4
统一 tong3 yi1|唯一 wei2 yi1|逐一 zhu2 yi1|单一 dan1 yi1|之一 zhi1 yi1|万一 wan4 yi1|专一 zhuan1 yi1
认真地 ren4 zhen1 de5|迅速地 xun4 su4 de5|有序地 you3 xu4 de5|安静地 an1 jing4 de5|小心地 xiao3 xin1 de5
耐心地 nai4 xin1 de5|快速地 kuai4 su4 de5|安全地 an1 quan2 de5|及时地 ji2 shi2 de5|顺利地 shun4 li4 de5
朋友 peng2 you5|东西 dong1 xi5|衣服 yi1 fu5|先生 xian1 sheng5|妈妈 ma1 ma5|爸爸 ba4 ba5|哥哥 ge1 ge5
姐姐 jie3 jie5|弟弟 di4 di5|妹妹 mei4 mei5|爷爷 ye2 ye5|奶奶 nai3 nai5|叔叔 shu1 shu5|谢谢 xie4 xie5
知道 zhi1 dao5|明白 ming2 bai5|麻烦 ma2 fan5|地方 di4 fang5|时候 shi2 hou5|告诉 gao4 su5|休息 xiu1 xi5
护士 hu4 shi5|窗户 chuang1 hu5|没有 mei2 you3|这个 zhe4 ge5|那个 na4 ge5|哪个 na3 ge5|对不起 dui4 bu5 qi3
孩子 hai2 zi5|位子 wei4 zi5|牌子 pai2 zi5|箱子 xiang1 zi5|盒子 he2 zi5|袋子 dai4 zi5|桌子 zhuo1 zi5
椅子 yi3 zi5|瓶子 ping2 zi5|票子 piao4 zi5|客气 ke4 qi5|行李 xing2 li5|消息 xiao1 xi5|意思 yi4 si5
关系 guan1 xi5|清楚 qing1 chu5|打听 da3 ting5|名字 ming2 zi5|早上 zao3 shang5|晚上 wan3 shang5
上面 shang4 mian5|下面 xia4 mian5|里面 li3 mian5|外面 wai4 mian5|前面 qian2 mian5|后面 hou4 mian5
左边 zuo3 bian5|右边 you4 bian5|旁边 pang2 bian1|进来 jin4 lai5|出来 chu1 lai5|进去 jin4 qu5|出去 chu1 qu5
应用 ying4 yong4|洪洞 hong2 tong2|单县 shan4 xian4|华山 hua4 shan1|会稽 kuai4 ji1|单先生 shan4 xian1 sheng5
曾先生 zeng1 xian1 sheng5|解先生 xie4 xian1 sheng5|任先生 ren2 xian1 sheng5|单女士 shan4 nv3 shi4
曾女士 zeng1 nv3 shi4|解女士 xie4 nv3 shi4|任女士 ren2 nv3 shi4|姓单 xing4 shan4|姓曾 xing4 zeng1
不锈钢 bu4 xiu4 gang1|长按 chang2 an4|长者 zhang3 zhe3|学长 xue2 zhang3|组长 zu3 zhang3|班长 ban1 zhang3
列车长 lie4 che1 zhang3|机长 ji1 zhang3|船长 chuan2 zhang3|市长 shi4 zhang3|县长 xian4 zhang3
还款 huan2 kuan3|还书 huan2 shu1|还车 huan2 che1|还卡 huan2 ka3
还清 huan2 qing1|还伞 huan2 san3|还贷 huan2 dai4
卷帘 juan3 lian2|舒服 shu1 fu5|不舒服 bu4 shu1 fu5|头发 tou2 fa5|相片 xiang4 pian4
三行 san1 hang2|第五行 di4 wu3 hang2|每行 mei3 hang2|首行 shou3 hang2|末行 mo4 hang2|行数 hang2 shu4
护士长 hu4 shi5 zhang3|处长 chu4 zhang3|部长 bu4 zhang3|厂长 chang3 zhang3|董事长 dong3 shi4 zhang3
"""

# Word -> readings of its characters.
PHRASES: dict[str, tuple[str, ...]] = {
    word: tuple(readings)
    for word, *readings in (entry.split() for entry in re.split(r"[|\n]", _READINGS) if entry)
}
