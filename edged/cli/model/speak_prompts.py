"""What `edged model verify --speak` has a model say: short calls, numbers, long sentences, both languages."""

from __future__ import annotations

from edged.text.sentence import Lang

PROMPTS: tuple[tuple[Lang, str], ...] = (
    ("zh", "请A015号到3号窗口。"),
    ("zh", "您好，欢迎光临。"),
    ("zh", "您前面还有12位，预计等待25分钟。"),
    ("zh", "本次消费36.5元，请扫码支付。"),
    ("zh", "开往北京西站的G102次列车将于14:05发车，请到5号站台候车。"),
    ("zh", "三号电梯正在检修，请使用一号或二号电梯，给您带来的不便敬请谅解。"),
    ("zh", "请勿在车厢内吸烟，谢谢合作。"),
    ("zh", "尊敬的顾客，商场将于今晚九点半结束营业，请您合理安排购物时间，并带好随身物品，祝您晚安。"),
    ("zh", "验证码是8 0 2 6 4。"),
    ("zh", "注意，车辆正在倒车。"),
    ("en", "Ticket A015, please go to counter 3."),
    ("en", "Good morning and welcome."),
    ("en", "There are 12 people ahead of you. The estimated wait is 25 minutes."),
    ("en", "Your total is $36.50. Please insert your card."),
    ("en", "The next train to the airport departs from platform 2 at 9:30."),
    ("en", "Elevator 3 is out of service. Please use elevator 1 or 2, we apologise for the inconvenience."),
    ("en", "Please keep clear of the doors."),
    (
        "en",
        "Ladies and gentlemen, the store closes in fifteen minutes, please bring your purchases to the "
        "checkout, and have a pleasant evening.",
    ),
    ("en", "Your code is 8 0 2 6 4."),
    ("en", "Caution, this vehicle is reversing."),
)
