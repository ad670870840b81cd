"""Prompts of our own for what the labelled sources lack: everyday tasks on short and long texts, and hard prompts that are short.

Sentences are written for this file and put together by a seeded generator, so that length, language and tier are not one thing:
an easy task may stand before two thousand words, a hard one be five words long. They are for training only; the prompts of
``test/estimation/everyday-prompts.json`` are not among them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

TEXTS = {
    "en": """The ferry to the island leaves twice a day from the old harbour.
Our team finished the inventory two days earlier than expected.
Rain is forecast for the weekend, but the market will take place anyway.
The new assistant learns quickly and is well liked by the customers.
Nobody had noticed that the door at the back was still open.
Sales in the second quarter rose by four per cent compared with last year.
The museum shows photographs that a local doctor took around 1900.
Please bring your own cup, because the kitchen is being renovated.
The train was late, so we missed the connection in Zurich.
A neighbour found the cat in the shed behind the school.
The council voted for a cycle path along the river.
He repaired the radio with parts from two broken ones.
The supplier promised a refund within ten working days.
Several members asked for the minutes to be sent round earlier.
The apples from the northern slope ripen a week later.
Support closed the ticket although the printer still does not work.
Visitors under twelve pay nothing on the first Sunday of the month.
The orchestra rehearses on Tuesdays in the gym of the primary school.
She has kept a diary since she was nine years old.
The heating in room 214 cannot be turned down.
After the storm the fire brigade was called out thirty times.
The course has twelve places, four of which are still free.
Our order number is 55310 and the invoice is dated 4 March.
The battery lasts about six hours and takes one to charge.
Most of the respondents would recommend the service to a friend.
The bakery on the corner has been sold to a couple from Porto.
The parcel was left with the pharmacist downstairs.
Two of the three windows had been replaced by spring.
The speaker thanked the volunteers and handed over the keys.
Under the new rules, receipts have to be kept for two years.""".split("\n"),
    "de": """Die Fähre zur Insel fährt zweimal am Tag vom alten Hafen ab.
Unser Team war mit der Inventur zwei Tage früher fertig als erwartet.
Am Wochenende soll es regnen, der Markt findet trotzdem statt.
Niemand hatte bemerkt, dass die Hintertür noch offen stand.
Der Lieferant hat die Erstattung innerhalb von zehn Werktagen zugesagt.
Die Heizung in Zimmer 214 lässt sich nicht herunterdrehen.
Der Kurs hat zwölf Plätze, von denen noch vier frei sind.
Die Bäckerei an der Ecke wurde an ein Paar aus Porto verkauft.
Der Gemeinderat stimmte für einen Radweg am Fluss.
Das Paket wurde beim Apotheker im Erdgeschoss abgegeben.""".split("\n"),
    "es": """El barco a la isla sale dos veces al día del puerto viejo.
Nuestro equipo terminó el inventario dos días antes de lo previsto.
El fin de semana lloverá, pero el mercado se celebrará de todos modos.
Nadie había notado que la puerta de atrás seguía abierta.
El proveedor prometió el reembolso en diez días hábiles.
La calefacción de la habitación 214 no se puede bajar.
El curso tiene doce plazas, de las que quedan cuatro libres.
La panadería de la esquina se vendió a una pareja de Oporto.""".split("\n"),
    "fr": """Le ferry pour l'île part deux fois par jour du vieux port.
Notre équipe a fini l'inventaire deux jours plus tôt que prévu.
Il pleuvra ce week-end, mais le marché aura lieu quand même.
Personne n'avait remarqué que la porte de derrière était ouverte.
Le fournisseur a promis un remboursement sous dix jours.
Le cours compte douze places, dont quatre sont encore libres.""".split("\n"),
    "zh": """去岛上的渡船每天从老港口出发两次。
我们团队比预期提前两天完成了盘点。
周末会下雨,但集市照常举行。
没有人注意到后门还开着。
供应商答应十个工作日内退款。
这门课有十二个名额,还剩四个。
街角的面包店卖给了一对夫妇。
河边将修一条自行车道。""".split("\n"),
}

TASKS_ON_TEXT = {
    "en": {
        "easy": [
            "Translate into {language}:",
            "Translate this to {language} please.",
            "Fix the grammar:",
            "Fix typos and keep the wording:",
            "Summarize this text in {n} bullet points:",
            "tl;dr",
            "Shorten this:",
            "Make this sound more polite:",
            "Rewrite this in a friendly tone:",
            "Rewrite the following for a newsletter:",
            "Extract all dates and numbers as JSON:",
            "Return the people, places and dates in this text as a JSON object with the keys people, places and dates:",
            "Is the sentiment of this text positive, negative or neutral?",
            "Which of these labels fits: complaint, question, praise, other? Answer with one word.",
            "Write a headline for this:",
            "Which language is this?",
            "Answer this message in two sentences:",
            "Put this into a table:",
            "What is this text about?",
            "Find the sentence that mentions money:",
        ],
        "medium": [
            "Summarise the following for a board meeting: decisions, risks, open questions, each with the sentence it rests on.",
            "List the claims in this text, say which contradict each other, and what would settle them.",
            "Turn this into a press release of 200 words with a quotation, then into a post of 30 words, keeping all figures.",
            "Extract every event as JSON with date, place, actors, certainty and source sentence; resolve pronouns and relative dates.",
            "Rewrite this as an interview that keeps every fact, in the voice of a retired teacher.",
            "Compare this with our policy (two weeks' notice, written form, refund in kind) and list what deviates.",
        ],
    },
    "de": {
        "easy": [
            "Übersetze ins Englische:",
            "Korrigiere die Rechtschreibung:",
            "Fasse das in einem Satz zusammen:",
            "Formuliere das höflicher:",
            "Gib alle Zahlen als JSON zurück:",
            "Kürze den Text auf die Hälfte:",
        ],
        "medium": ["Stelle alle Aussagen mit Beleg zusammen, markiere Widersprüche und schlage drei Rückfragen vor:"],
    },
    "es": {
        "easy": [
            "Traduce al inglés:",
            "Corrige la ortografía:",
            "Resume este texto en una frase:",
            "Reescribe esto en un tono más formal:",
            "Extrae los lugares como lista JSON:",
        ],
        "medium": ["Ordena los hechos por fecha, señala lo que se contradice y propone tres preguntas para aclararlo:"],
    },
    "fr": {
        "easy": [
            "Traduis en anglais :",
            "Corrige les fautes :",
            "Résume ce texte en une phrase :",
            "Reformule plus poliment :",
        ],
        "medium": ["Relève les contradictions de ce texte et propose une version cohérente, avec tes raisons :"],
    },
    "zh": {
        "easy": [
            "翻译成英文:",
            "改正错别字:",
            "用一句话概括:",
            "把下面的内容改写得更礼貌:",
            "把地点和数字提取成 JSON:",
        ],
        "medium": ["列出文中的所有事实及依据,指出互相矛盾的地方,并提出三个需要核实的问题:"],
    },
}

SLOTS = {
    "language": "German,French,Spanish,Italian,Japanese,Dutch,Polish,Chinese,Portuguese".split(","),
    "name": "Anna,Tom,Priya,Luis,Mei,Omar,Julia,Sven,Grace,Pavel".split(","),
    "n": "2,3,4,5,7,10".split(","),
    "m": "15,18,24,36,42,60".split(","),
    "city": "Rome,Nairobi,Lima,Oslo,Kyoto,Toronto,Cairo,Berlin".split(","),
    "country": "Norway,Peru,Kenya,Japan,Portugal,Canada,Egypt,Poland".split(","),
    "thing": "a bicycle,a coffee machine,a tent,a desk lamp,a used car,a backpack".split(","),
    "topic": "gardening,chess,running,cooking,photography,football,astronomy,saving money".split(","),
    "program": "Python,JavaScript,Go,Java,TypeScript,Rust".split(","),
    "system": "payment,booking,messaging,inventory,ticketing,logging,search,billing".split(","),
    "scale": "200,000 lines,1.5 million lines,40 services,300 tables,70 packages".split(","),
}

PLAIN = {
    "trivial": """hi
hello there
hey, what's up?
good evening
how's it going {name}?
thanks, that helped
thank you so much!
ok great
ok bye
see you tomorrow
nice, you're the best
yes please
no, that's all
are you there?
tell me a joke
sing me something
what's your name?
who made you?
what can you do?
happy birthday to you!
what day is it today?
what time is it in {city}?
what is the capital of {country}?
is {city} bigger than Paris?
what is {n} + {m}?
{m} minus {n}
what's half of {m}?
which is larger, {n} or {m}?
how many minutes are in an hour?
how many legs does a spider have?
how do you say thank you in {language}?
what does asap mean?
opposite of warm?
plural of mouse
set an alarm for {n}
remind me to call {name} at {n}
play some jazz
turn off the lights in the kitchen
add milk to the shopping list
what's the weather in {city}?
call {name}
stop
louder please
hallo!
wie geht's dir?
danke, das reicht
guten morgen zusammen
was ist die Hauptstadt von Italien?
wie viel ist {n} mal {n}?
wie spät ist es?
stell den Wecker auf {n} Uhr
hola, ¿qué tal?
gracias, eres muy amable
¿cuánto es {n} más {m}?
¿cuál es la capital de Francia?
pon música tranquila
buenas noches
salut, ça va ?
merci beaucoup
quelle heure est-il ?
你是谁?
谢谢你
晚上好
现在几点了?
{n}加{m}等于多少?
日本的首都是哪里?
讲个笑话""",
    "easy": """Write a short thank-you note to {name}.
Write a birthday card for {name}, who loves {topic}.
Write an e-mail to {name} to move our meeting from Monday to Wednesday.
Write an out-of-office reply for next week.
Draft a polite reminder that the invoice is {n} days late.
Write a product description of {thing} in {n} sentences.
Suggest {n} names for a club about {topic}.
Give me {n} ideas for a rainy day with children.
List {n} tips for beginners in {topic}.
What should I pack for a weekend in {city}?
Give me a recipe for lentil soup.
What is the difference between weather and climate?
What causes tides?
Explain photosynthesis to a child.
Who was the first woman to win a Nobel prize, and for what?
Tell me {n} facts about {country}.
Write a haiku about {topic}.
Write a function in {program} that reverses a string.
Write a function in {program} that counts the vowels in a string.
How do I read a file line by line in {program}?
How do I sort a list of numbers in {program}?
Write a regular expression for a date such as 2024-05-01.
Write an SQL query that returns all rows of users where age is above {m}.
How do I undo my last git commit?
Convert {m} miles to kilometres.
What is {n} percent of {m}0?
A ticket costs {n} euros. How much do {m} tickets cost?
{name} has {m} apples and gives away {n}. How many are left?
Find a free slot tomorrow afternoon in my calendar and book it with {name}.
Look up the weather in {city} and tell me whether I need an umbrella.
Is {city} a good place to visit in October?
What is a good gift for somebody who likes {topic}?
Schreib eine kurze Einladung zu meinem Geburtstag am Samstag.
Nenne mir {n} Ideen für ein Picknick.
Schreibe eine Absage an einen Bewerber, freundlich und kurz.
Was ist der Unterschied zwischen Wetter und Klima?
Wie sortiere ich eine Liste in {program}?
Escribe un correo para cambiar la cita con el dentista.
Dame {n} consejos para dormir mejor.
Explica qué es la fotosíntesis en pocas palabras.
Écris un message pour annuler un rendez-vous chez le coiffeur.
Donne-moi {n} idées de cadeaux.
写一封请假邮件,理由是感冒。
给我{n}个周末活动的建议。
用 {program} 写一个求平均值的函数。
简单介绍一下{city}。""",
    "medium": """Write a {program} class for a rate limiter with a sliding window, with unit tests and a short explanation of its complexity.
Write a {program} script that reads a CSV with {m} columns, validates each against rules in a YAML file, and reports errors by row.
Why does my {program} service use more memory after every deployment, and how would I find out? It reads messages from a queue and caches users by id.
Explain how garbage collection works in {program} and when it hurts latency.
Write an SQL query that returns the month-over-month growth by region, with months without sales shown as zero.
Plan a trip of {n} days to {country} for a family with a toddler and a grandmother who cannot walk far, for under 2,000 euros, by train where possible.
Compare leasing and buying {thing} over {n} years with a table of costs and the break-even point.
Write a short story of 600 words about {topic} in which the narrator turns out to be wrong, in the present tense.
Explain how vaccines, antibiotics and antivirals differ, with an example where the wrong one does harm.
A train leaves {city} at 8:10 at 90 km/h, another follows at 8:40 at 120 km/h with a stop of {n} minutes. When and where does it catch up?
{name} invests {m}00 euros at {n} % a year and adds 50 a month. How much is it after {n} years, and how much of it is interest?
How many numbers below 1000 are divisible by 3 or 7 but not by both?
Solve x^2 - {n}x - {m} = 0 and check both roots.
Draw up a timetable for a conference with {n} rooms and {m} talks so that no speaker is in two places and related talks do not overlap.
You can call search, read_page and write_file. Find the opening hours of the three nearest pharmacies, check which is open on Sunday, and save the result as CSV.
You can use the tools list_issues, read_file, edit_file and run_tests. The date picker shows the wrong month in {country}. Find out why and fix it.
Our checkout conversion fell by {n} % after a redesign. Which hypotheses would you test first, and how?
Write a cover letter for a nurse who moves into hospital IT after {n} years, honest about the missing experience.
Review this function and suggest improvements:\n\n```{program}\nfunction total(items) {{\n  let sum = 0;\n  for (var i = 0; i <= items.length; i++) {{ sum += items[i].price * items[i].quantity }}\n  return sum\n}}\n```
Summarise the arguments for and against a four-day week, for a works council that is undecided.
Erkläre den Unterschied zwischen Prozess und Thread mit einem Beispiel in {program} und sage, wann man was nimmt.
Erstelle einen Haushaltsplan für eine Familie mit {n} Kindern und 3.400 Euro netto, mit Rücklagen und zwei Sparvorschlägen.
Vergleiche Wärmepumpe und Gasheizung für ein Haus von 1975 mit den Kosten über {m} Jahre.
Compara tres formas de organizar un equipo de {m} personas y di cuándo conviene cada una.
Escribe en {program} un analizador de expresiones aritméticas con paréntesis y pruebas.
Compare les avantages d'un statut salarié et indépendant pour un graphiste, avec un exemple chiffré.
用 {program} 写一个支持撤销和重做的文本编辑器核心,并写测试。
为{n}口之家制定一周菜单,控制在六百元以内,避免坚果和乳制品。
解释为什么数据库需要索引,什么时候索引反而变慢,举两个例子。""",
    "hard": """Prove that the square root of {n} plus the square root of 3 is irrational.
Prove that every finite integral domain is a field.
Prove that there is no continuous bijection from the circle to the interval.
Prove that the sum of the reciprocals of the primes diverges.
Show that a bounded monotone sequence converges, without using Bolzano–Weierstrass.
Is every group of order {m} solvable? Prove it.
Find all functions f from the reals to the reals with f(x + f(y)) = f(x) + y.
How many ways are there to colour the faces of a cube with {n} colours up to rotation? Derive it.
Derive the posterior of a Gaussian process with heteroscedastic noise.
Derive the backward pass of layer normalisation by hand.
Why does this deadlock only under load?
Find the data race.
Our lock-free stack in C++ sometimes returns a node twice under contention. Explain the ABA problem here and fix it with hazard pointers.
Make this {program} scheduler fair without a global lock and show that no task starves.
A transaction at snapshot isolation lets two doctors go off call at the same time. Explain the anomaly and change the {system} schema so that it cannot happen.
Refactor our {system} system ({scale}) from callbacks to an event log without downtime, and say how each step can be rolled back.
Plan the migration of {scale} of {program} from one monolithic repository to separate releases, with dependency cycles to be broken first.
Design a multi-region {system} system with exactly-once effects, and say what happens in each kind of partition.
Design the storage engine for a time-series database: layout, compaction, crash recovery, and worst cases.
Write a {program} compiler pass that eliminates bounds checks and prove it sound.
The {system} service shows p99 latency spikes every {n} minutes on one availability zone only. Develop hypotheses, rank them and design the experiments that separate them.
Draft the indemnity and limitation-of-liability clauses for a {system} outsourcing contract under two legal systems, and explain the interplay.
Assess whether a dismissal during parental leave is lawful when the plant closes in {country} and the parent company sits elsewhere.
A patient with heart failure, diabetes and stage 4 kidney disease needs chemotherapy. Work out the drug regimen, monitoring and stopping rules.
Work out a differential diagnosis for fever, rash and falling platelets after a stay in {country}, with the order of tests.
Structure the sale of a family business to its employees over {n} years: tax, financing, control, and what happens if the founder dies.
Design a randomised trial for an app against insomnia with non-compliance and interference between participants, and derive the sample size.
Prove that comparison sorting needs n log n comparisons.
Prove or disprove: every connected graph has a spanning tree with at most half its vertices as leaves.
Beweise, dass die Menge der reellen Zahlen überabzählbar ist.
Beweise den Satz von Cantor und erkläre die Folgen.
Entwirf eine Migration unseres {system}-Systems ({scale}) auf Ereignisse, ohne Ausfall, mit Rückweg in jedem Schritt.
Prüfe die Ansprüche von A gegen B, wenn der Kaufvertrag wegen Täuschung angefochten wird und die Sache schon weiterverkauft ist.
Demuestra que hay infinitos números primos.
Diseña un sistema de {system} distribuido tolerante a particiones y demuestra qué garantías da.
Analiza la responsabilidad civil de una clínica cuando un algoritmo propone el diagnóstico equivocado en {country}.
Démontre que tout espace métrique compact est complet.
Conçois un protocole de réplication sans chef et prouve sa convergence.
证明根号二是无理数。
证明任意有限整环都是域。
设计一个无锁队列,并证明它的线性一致性。
把我们的{system}系统从单体迁移到事件驱动架构,不停机,说明每一步如何回滚。
分析这个并发错误只在高负载下出现的原因,并给出修复和验证方法。""",
    "expert": """Prove or refute that this cache-coherence protocol is deadlock-free for any number of cores, and mechanise the proof in a proof assistant.
Find an asymptotically better algorithm for dynamic connectivity with deletions than the known one, or explain precisely where the barrier lies.
Port our {system} system ({scale}) to a new architecture, keep it bit-identical, and deliver the patch series with tests for each commit.
Reproduce the miscompilation in our optimising compiler, find the unsound rewrite among {m}0 passes, prove the repaired rule and upstream it.
Develop a research plan to separate correlation from causation in {m} years of hospital data with changing coding rules, and derive the identification conditions.
Draft the complete defence in a cross-border antitrust case on {system} data with conflicting disclosure duties in three jurisdictions.
Take over the repository, reproduce the failing benchmark, locate the regression among {m}00 commits, fix it without changing the public interface, and write the post-mortem.
Entwickle einen neuen Beweis für die Irrationalität von Zeta(3) und formalisiere ihn.
设计并形式化验证一个拜占庭容错的{system}协议,给出完整证明。""",
}


@dataclass(frozen=True)
class TemplatePrompt:
    """A prompt of our own and its tier."""

    prompt: str
    tier: str


def fill(template: str, rng: random.Random) -> str:
    """The template with its slots filled at random."""
    return template.format(**{name: rng.choice(values) for name, values in SLOTS.items()})


def passage(language: str, rng: random.Random) -> str:
    """One to 120 sentences, every order of magnitude as often, in paragraphs."""
    count = round(120 ** rng.random())
    joint = "" if language == "zh" else " "
    sentences = [rng.choice(TEXTS[language]) for _ in range(count)]
    paragraphs = [joint.join(sentences[at : at + 6]) for at in range(0, count, 6)]
    return "\n\n".join(paragraphs)


def on_text(language: str, tier: str, rng: random.Random) -> str:
    """A task before a passage, after it, or in one line with it."""
    task = fill(rng.choice(TASKS_ON_TEXT[language][tier]), rng)
    text = passage(language, rng)
    return rng.choice((f"{task}\n\n{text}", f"{task} {text}", f"{text}\n\n{task}", f"{task}\n\"\"\"\n{text}\n\"\"\""))


def template_prompts(seed: int, fillings: int = 3) -> list[TemplatePrompt]:
    """Distinct prompts in a fixed order: each template filled up to ``fillings`` times, each task on several texts."""
    rng = random.Random(seed)
    found: dict[str, str] = {}
    for tier, lines in PLAIN.items():
        for line in lines.split("\n"):
            for _ in range(fillings):
                found.setdefault(fill(line.replace("\\n", "\n"), rng), tier)
    for language, tasks in TASKS_ON_TEXT.items():
        for tier, wordings in tasks.items():
            for _ in range(fillings * 2 * len(wordings)):
                found.setdefault(on_text(language, tier, rng), tier)
    return [TemplatePrompt(prompt, tier) for prompt, tier in found.items()]
