"""Prompts of our own for what the labelled sources lack: everyday tasks on short and long texts, and hard prompts that are short.

Sentences are written for this file and put together by a seeded generator, so that length, language and tier are not one thing:
an easy task may stand before two thousand words, a hard one be five words long. They are for training only; the prompts of
``test/engine/estimation/everyday-prompts.json`` are not among them.
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
    "trivial": """fix the spelling: 'definately'
correct this: 'she go to school'
is this sentence right: 'we was late'?
say 'see you soon' in {language}
translate 'good luck' into {language}
Return JSON {{"city"}}: I live in {city}.
Give {{"first", "last"}} as JSON for {name} Miller.
one word for 'very big'
three names for a dog
a name for a small boat
Use the search tool to find the time in {city}.
Check the forecast for {city} with the weather tool.
Use the calculator: {n} times {m}.
Open the calendar.
Write an auto-reply: away until Tuesday.
Reply 'yes, that works' politely.
Sum up: The pool is closed today.
In {program}, how do I print hello?
what does 'len' do in Python?
Wie sagt man 'bitte' auf Englisch?
Nenne mir einen Namen für einen Hund.
¿Cómo se dice 'hasta luego' en inglés?
Comment dit-on « bonne chance » en anglais ?
把'早安'翻译成英文。
给小狗起个名字。
hi
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
    "easy": """Which is better for breakfast, porridge or bread? Answer in one sentence.
Beach or mountains for a short holiday, and why?
Make this friendlier: 'You have not paid. Pay now.'
Rewrite without jargon: 'We leverage synergies to onboard stakeholders.'
Turn into JSON with title, author and year: 'The Trial, Franz Kafka, 1925'.
Extract name and phone number as JSON: '{name} called, please ring back on 0151 {m}{m}.'
Reply to a customer that the parcel is on its way and arrives in {n} days.
Write a message to my team that I am ill today and {name} takes over.
Ask my neighbour in three sentences to turn the music down after ten.
Give me {n} ideas for a cheap birthday party.
Suggest {n} titles for a talk about {topic}.
Create a calendar event for Friday at {n} with {name} and send an invitation.
Look for a train to {city} tomorrow morning and show me the cheapest.
List the files in this folder and tell me which is the largest.
Write a {program} function that tells whether a number is even.
Write a {program} function that returns the sum of a list.
Rename all files ending in .jpeg to .jpg: give me the shell command.
Write a short thank-you note to {name}.
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
    "medium": """Rewrite this clause so that a lay person understands it, and keep its meaning: 'The lessor shall be indemnified against any and all claims arising from the lessee's use, save where caused by gross negligence.'
Tell a customer that her order is delayed for the second time, apologise without excuses, offer a choice of refund or voucher, and stay under {m}0 words.
Write to the parents of a class about a cancelled trip: reason, refund, next steps; warm, no blame, at most {m}0 words.
Return JSON only, with "number", "date" (ISO 8601), "net", "tax" and "gross", from: 'Bill 88-{m}, 2nd of May, {n} hours at 80 each, 10 % off, plus 20 % tax, payable in a month.'
Convert this recipe to JSON with ingredients in grams, steps and total minutes: 'Two cups of flour, a pinch of salt, a stick of butter; rest an hour, bake at 180 for forty minutes.'
We are a library with one employee and no budget for advertising. Give me {n} activities for teenagers, each with cost, effort and risk.
Give me {n} concrete ways to cut the energy bill of a small bakery, each with effort, saving and what might go wrong.
Run the linter, fix what it reports in the parser, and run it again until it is clean.
The build fails on the main branch. Find the commit that broke it, fix it and run the tests.
Search my mails for the three latest invoices of the printer, add them up and enter the sum into the sheet.
Write {program}: given a list of visits with user and time, return for each user the longest gap between two visits, users with one visit as zero.
Write a {program} function that merges overlapping intervals and keeps the labels of both, with tests.
Escribe a un cliente cuya reparación se retrasa otra vez: disculpa, opciones y un plazo, en menos de 150 palabras.
Schreibe einem Mieter, dass die Heizung noch eine Woche ausfällt, mit Entschuldigung, Ersatz und Frist, ohne Schuldzuweisung.
Schreibe {n} Vorschläge für ein Stadtteilfest mit kleinem Budget, jeweils mit Aufwand, Kosten und Risiko.
Write a {program} class for a rate limiter with a sliding window, with unit tests and a short explanation of its complexity.
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
    "hard": """My brother has stopped answering since he lost his job, and yesterday he wrote 'it would be easier if I were gone'. Help me think through what to say to him now, what not to say, and when to call for help.
My mother has been told that her illness cannot be cured and asks me not to tell my sister. Talk with me about what I owe to each of them.
My colleague cries in meetings since her divorce and her work suffers; I am her manager. What could I say to her, what must I not promise, and how do I stay fair to the others?
Write a villanelle that contains all of these facts in order and scans: the server went down at nine, the backup was a week old, {name} restored it by hand from logs, nothing was lost.
Rewrite this release note as a limerick sequence in correct metre that loses no detail: 'Version {n} removes the old login, keeps sessions for {m} days and asks for a second factor only on new devices.'
Write a sonnet in iambic pentameter whose first letters spell the name {name} and whose argument turns in the ninth line.
Translate this poem into {language} so that metre, rhyme and the pun survive, and say what was lost: 'I dug, you dug, she dug, we dug: not a beautiful poem, but it is deep.'
Translate into {language} and keep both meanings of every pun: 'The duck asked for the bill. He had no time for small bills, so he took flight.'
Our only supplier wants to double prices and knows that we cannot switch for a year. Write the letter with which we refuse, keep them at the table, reveal nothing about our stocks and stay within the contract; their lawyers will read it.
Write the e-mail with which I tell an investor that we reject his terms, keep him for the next round, and admit nothing about our cash. His counsel will read every word.
Write the statement of a hospital after an error that harmed a patient: truthful, humane, without admitting liability beyond what is established, acceptable to family, staff and insurer.
The signal of our mass spectrometer fell by {m} % after the service visit, with the same samples, gas and settings. List the ten most likely causes in order, the cheapest test that separates each from the others, and the order of tests for two days.
Yeast in our brewery flocculates too early since we changed the malt supplier, but not in every batch. Rank the hypotheses, say which observation would exclude each, and plan the experiments for one week.
Our conversion model does well offline and loses money in production. Which {n} explanations fit both facts, and what experiment separates them at the least cost?
This debounce sometimes fires twice and sometimes not at all. Explain both cases and fix them without timers that overlap:

let t; function d(f) {{ return (...a) => {{ if (t) clearTimeout(t); t = setTimeout(async () => {{ await f(...a); t = null }}, 50) }} }}
This pool hands out the same connection twice under load and leaks one when acquire is aborted. Explain both races and rewrite it without a global lock:

class Pool {{ #free = []; async acquire() {{ return this.#free.pop() ?? await this.open() }} release(c) {{ this.#free.push(c) }} }}
Upgrade our {m} services from {program} {n} to the current version one by one: read the code, change build, settings and deprecated calls, keep the wire format, run every test suite, shared libraries first, and stop where a decision of ours is needed.
Go through our {scale} of {program}, replace the old client of the {system} service everywhere, keep behaviour, open one pull request a package, and report what could not be changed safely.
Mein Vater will trotz Demenz allein wohnen bleiben, meine Geschwister streiten. Sprich mit mir durch, was ihm zusteht, was wir dürfen und wie ich das Gespräch führe.
Schreibe das Kündigungsschreiben an unseren größten Kunden so, dass er bleibt, wir nichts zugeben und die Anwälte beider Seiten nichts finden.
Reescribe este aviso como un soneto con rima consonante sin perder ningún dato: 'Desde la versión {n}, la copia falla si hay más de {m} carpetas y un filtro activo.'
把这条故障通知改写成一首格律正确的七言律诗,不能丢失任何事实:'自第{n}版起,导出超过{m}行且有筛选时会丢失最后一行。'
Prove that the square root of {n} plus the square root of 3 is irrational.
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


TASKS_ON_MATERIAL = {
    "trivial": [
        "What is the first line?",
        "Is there a line that contains 'total'? Yes or no.",
        "What is the last number in this?",
        "How many lines does this have? Only the number.",
        "How often does the word 'late' occur?",
        "Just say what kind of text this is.",
        "Copy the third line.",
    ],
    "easy": [
        "Which of these happened first, and when?",
        "List all names in this.",
        "Which lines mention a delay, and at what times?",
        "Summarise this in {n} points.",
        "What does it say about {city}?",
        "Put the rows that mention {name} into a table.",
        "Which entry has the highest number?",
    ],
    "medium": [
        "Summarise this twice, for the owner (money and risk only) and for the people on site (what changes for them), each in {m} words.",
        "Which entries belong together, and what do they say about the cause? Quote the lines.",
        "By when must {name} answer at the latest? Quote the lines that decide it.",
        "Return JSON with every task, its owner and its due date as an ISO date, null where none is given.",
        "Compare the first half with the second and explain what changed, with figures.",
    ],
    "hard": [
        "Find everything in this that contradicts something else, also through a third place that both refer to, and propose the fewest changes that resolve it.",
        "Summarise it, then say which commitments lack an owner or a date, which figures cannot both hold, and what you would ask before acting on the second item.",
        "Follow this schema exactly: {{\"actions\": [{{\"owner\": string, \"due\": ISO date or null, \"depends_on\": [index]}}], \"derived\": [{{\"name\": string, \"value\": number}}], \"conflicts\": [string]}}. Resolve relative dates from the first one, and compute what is only implied.",
        "Work out the root cause, the order of events across the systems with the clocks corrected, and what evidence is missing; state how sure you are of each step.",
        "Work out what follows if the second and the fourth point are both enforced, who bears the loss, and how each side would argue.",
    ],
}


def log_lines(rng: random.Random) -> list[str]:
    """A log: times, services, states."""
    services, states = ("cart", "auth", "queue", "index", "export"), ("ok", "ok", "ok", "warning: slow", "error: timeout")
    return [
        f"{8 + at // 40:02d}:{rng.randrange(60):02d} {rng.choice(services)}: {rng.choice(states)}, {rng.randrange(20, 900)} ms"
        for at in range(count_of_lines(rng))
    ]


def table_rows(rng: random.Random) -> list[str]:
    """A table with commas."""
    names, cities = SLOTS["name"], SLOTS["city"]
    rows = [
        f"{rng.randrange(1000, 9999)},{rng.choice(names)},{rng.choice(cities)},{rng.randrange(5, 400)}.{rng.randrange(100):02d},{rng.choice(('paid', 'open', 'late'))}"
        for _ in range(count_of_lines(rng))
    ]
    return ["order,customer,city,amount,state", *rows]


def clauses(rng: random.Random) -> list[str]:
    """A contract whose clauses refer to each other."""
    rules = (
        "The tenant gives notice of {m} days, unless rent under clause {n} is owed.",
        "Payment is due within {m} days; interest under clause {n} applies after that.",
        "Repairs above {m} euros need the consent of the owner, which clause {n} regulates.",
        "Notwithstanding clause {n}, the deposit is returned within {m} days of the handover.",
    )
    return [f"{at + 1}. {fill(rng.choice(rules), rng)}" for at in range(count_of_lines(rng))]


def minutes(rng: random.Random) -> list[str]:
    """Minutes of a meeting: who does what by when."""
    points = (
        "{name} reported that returns rose by {n} %, mostly from {city}.",
        "The site in {city} lost {m} hours; {name} has ordered the part, delivery in {n} days.",
        "{name} asks {name} for the figures before the next meeting.",
        "The budget of {m} thousand holds for {n} weeks.",
        "No decision on the {system} system; {name} will sound out two suppliers.",
    )
    count = min(count_of_lines(rng), 25)
    return [f"({at + 1}) {fill(rng.choice(points), rng)}" for at in range(count)]


def count_of_lines(rng: random.Random) -> int:
    """From three to 200, every order of magnitude as often."""
    return round(3 * 67 ** rng.random())


MATERIALS = (log_lines, table_rows, clauses, minutes)


def on_material(tier: str, rng: random.Random) -> str:
    """A task before material, or after it."""
    task = fill(rng.choice(TASKS_ON_MATERIAL[tier]), rng)
    material = rng.choice(MATERIALS)(rng)
    joint = " " if len(material) < 6 and rng.random() < 0.5 else "\n"
    return rng.choice((f"{task}\n\n{joint.join(material)}", f"{joint.join(material)}\n\n{task}"))


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
    for tier, wordings in TASKS_ON_MATERIAL.items():
        for _ in range(fillings * 2 * len(wordings)):
            found.setdefault(on_material(tier, rng), tier)
    return [TemplatePrompt(prompt, tier) for prompt, tier in found.items()]
