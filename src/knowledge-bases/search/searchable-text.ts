import { foldedText, spacedText } from '@bellwether/kernel';

const QUOTED = /"([^"\n]{2,200})"|“([^”\n]{2,200})”|«([^»\n]{2,200})»|„([^“”\n]{2,200})[“”]/g;
const MOST = 5;

/** White space, punctuation and case do not count. */
const comparable = (text: string): string =>
  ` ${(
    spacedText(foldedText(text))
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ')} `;

/** Phrases in quotation marks, for `hasPhrases`. */
export const quotedPhrases = (question: string): string[] =>
  [...question.matchAll(QUOTED)]
    .map(([, ...groups]) => comparable(groups.find((group) => group !== undefined) ?? ''))
    .filter((phrase) => phrase.trim() !== '')
    .slice(0, MOST);

/** Whether a text has each phrase word for word. */
export function hasPhrases(text: string, phrases: readonly string[]): boolean {
  const words = comparable(text);
  return phrases.every((phrase) => words.includes(phrase));
}

/** Endings that the stemmers recognise by their accents only. Without them, singular and plural get different stems. */
const ENDINGS: Readonly<Record<string, readonly (readonly [ending: string, accented: string])[]>> = {
  spanish: [
    ['([csx])ion', '\\1ión'],
    ['logia(s?)', 'logía\\1'],
  ],
  catalan: [['([csx])io', '\\1ió']],
  portuguese: [
    ['cao', 'ção'],
    ['coes', 'ções'],
    ['sao', 'são'],
    ['soes', 'sões'],
  ],
};

/**
 * SQL for the stems of a folded text as `tsvector`, for chunks and questions alike. Both arguments are SQL expressions. The
 * text comes from `withoutStopWords`.
 */
export const termsOf = (configuration: string, text: string): string =>
  `to_tsvector(${configuration}::regconfig, ${withEndings(configuration, text)})`;

const withEndings = (configuration: string, text: string): string => {
  const cases = Object.entries(ENDINGS).map(([name, endings]) => {
    const restored = endings.reduce(
      (sql, [ending, accented]) => `regexp_replace(${sql}, '${ending}\\M', '${accented}', 'gi')`,
      text,
    );
    return `WHEN '${name}' THEN ${restored}`;
  });
  return `CASE ${configuration} ${cases.join(' ')} ELSE ${text} END`;
};

/**
 * Stop words by text-search configuration, without accents as all indexed text. PostgreSQL has none for Catalan, Basque,
 * Romanian, Indonesian, Irish and Lithuanian, and its lists for other languages have accents.
 */
const STOP_WORDS: Readonly<Record<string, string>> = {
  catalan: `
    el la els les lo l un una uns unes en na es sa ses d de del dels s a al als per pel pels amb sense sobre entre fins des
    durant segons contra i o u ni pero sino que si com quan on perque doncs mentre encara ja no ni tambe tampoc nomes
    molt molts molta moltes menys massa tan tant poc gaire tot tota tots totes altre altra altres mateix mateixa mateixos
    mateixes cada algun alguna alguns algunes qualsevol res algu ningu aquest aquesta aquests aquestes aquell aquella aquells
    aquelles aixo allo aqui alla hi ho li em m et t ens ne n se si jo tu ell ella nosaltres vosaltres ells elles vostre meu
    meva meus meves teu teva teus teves seu seva seus seves nostre nostra nostres llur llurs qui quin quina quins quines qual
    quals quant quanta quants quantes soc ets som sou son era eren fou foren es ser estat esta estan estava estaven sigui siguin
    he has ha hem heu han havia havien haver va van vaig vas vam vau vagi pot poden fa fan te tenen tenia tenien`,
  basque: `
    bat batek batean baten bati batzuk batzuen eta edo ala ez bai ere baina baino baizik beraz baldin bezala bezain arte gabe
    gain gainera hau hori hura hauek horiek haiek honek horrek hark honen horren haren hemen hor han ni zu gu zuek bera beraiek
    bere beren nire zure gure euren zer zein zeinek nor nork noren nori non nora nondik noiz nola zenbat zergatik zertarako
    da dira naiz zara gara zarete zen ziren nintzen izan izaten izango du dute ditu dituzte dut dugu duzu zuen zuten zituen
    zituzten dio diote zion zioten dela direla dena direnak duen duten diren egon dago daude zegoen zeuden egin egiten egiteko
    beste guzti guztiak guztien oso asko gehiago gutxi gutxiago hain bezala bakarrik ondoren aurretik artean bitartez buruz
    barru baita zeren eze dezake daiteke`,
  romanian: `
    un o unui unei niste al a ai ale lui cel cea cei cele celui de la in din pe cu fara pentru prin spre sub despre dupa
    intre pana peste si sau ori dar iar insa ci nici ca sa daca desi cand cum unde cat cata cati cate ce cine care carui carei
    caror nu mai foarte tot toata toti toate acest aceasta acesti aceste acel acea acei acele eu tu el ea noi voi ei ele lor
    meu mea mei mele tau ta sau sa sai sale nostru noastra nostri noastre ma te se ne va il i le imi iti isi este e sunt era
    erau fi fost fiind are au avea am ai ati`,
  indonesian: `
    yang di ke dari pada dalam untuk dengan tanpa oleh tentang antara sampai hingga sejak dan atau tetapi namun jika kalau
    karena sehingga bahwa agar supaya ketika saat sebagai seperti ini itu tersebut saya aku kamu anda dia ia kami kita mereka
    nya apa siapa mana kapan bagaimana mengapa berapa adalah ialah merupakan ada tidak bukan belum sudah telah akan sedang
    bisa dapat harus juga hanya saja lebih sangat paling lagi para suatu sebuah seorang setiap semua`,
  irish: `
    an na a ag ar as at de den do don i in ins le leis o on os faoi thar tri trid um chuig chun gan go idir roimh agus is
    no ach ma da mar nuair ce cad ca cathain conas cen nach ni nil ta bhi bhfuil bionn beidh bheith seo sin siud me tu se si
    sinn muid sibh siad e i iad mo do ar bhur gach eile aon fein freisin`,
  lithuanian: `
    ir ar bet o taciau arba nei kad jog jei jeigu kai kol nes nors lyg kaip i is su be nuo iki prie per pro apie ant po pas
    uz del tarp virs as tu jis ji mes jus jie jos savo mano tavo jo jos musu jusu ju sis si sie sios tas ta tie tos sitas kas
    ka ko kuris kuri kurie kurios koks kokia kur kada kiek kodel yra buvo bus buti esu esi esame nera ne taip jau dar tik net
    labai daugiau visas visa visi visos kiekvienas`,
  spanish: `
    mas tambien segun asi aun aunque mientras si cual cuales cuanto cuanta cuantos cuantas cada mediante tan solo ademas quiza
    habia habian habra sera seran estara podria tenia tenian hacia sido ser siendo`,
  french: `
    ou meme memes etre ete etait etaient etant tres apres deja quel quelle quels quelles comme comment plus si dont donc ni car
    ca cela ceci celui celle ceux celles chez selon`,
  italian: `
    piu perche poiche cosi cioe gia puo sara saranno pero ne da quale quali anche ancora dove essere stato stata stati state`,
  portuguese: `
    nao sao ha ja so ate tambem voce voces esta estao sera serao sera apos entao qual quais quanto quantos porem alem ser sido`,
  german: `fur uber wahrend konnen konnte muss mussen wurde wurden hatte hatten dafur daruber`,
  swedish: `ar for pa nar fran over ocksa harifran da an har at sa vad`,
  danish: `pa for ogsa nar sa hvad var`,
  norwegian: `pa nar sa ogsa var for`,
  finnish: `etta myos ovat eivat mika mita missa taman tama nama`,
  hungarian: `es egy azt ez hogy meg is nem volt mar kell mint altal utan kozott tobb mas ugy igy lehet milyen miert`,
  turkish: `icin gibi cok daha ile ve bir bu da de nicin degil olarak uzere hangi nasil`,
};

const WORD = /[\p{L}\p{N}]+/gu;

const sets = new Map(
  Object.entries(STOP_WORDS).map(([configuration, words]) => [configuration, new Set(words.trim().split(/\s+/))]),
);

/**
 * A folded text without the stop words of its language. They are compared as words: the Catalan stemmer gives "Matisse" the
 * stem of "mateix".
 */
export function withoutStopWords(configuration: string, text: string): string {
  const stopWords = sets.get(configuration);
  return stopWords === undefined
    ? text
    : text.replace(WORD, (word) => (stopWords.has(word.toLowerCase()) ? ' ' : word));
}

/** PostgreSQL text-search configurations by language. All ship with PostgreSQL 14 and later. */
const CONFIGURATIONS = {
  simple: 'simple',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hu: 'hungarian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sv: 'swedish',
  tr: 'turkish',
} as const;

type Language = keyof typeof CONFIGURATIONS;
export const LANGUAGES = Object.keys(CONFIGURATIONS) as readonly Language[];

/** Words as they stand: a text in no language that is known here. */
export const NO_LANGUAGE: Language = 'simple';

const isLanguage = (name: string): name is Language => name in CONFIGURATIONS;

/** Name for `regconfig`; an unknown language is searched without stemming. */
export const searchConfiguration = (language: string | null): string =>
  language !== null && isLanguage(language) ? CONFIGURATIONS[language] : CONFIGURATIONS[NO_LANGUAGE];

/** Our stop words of a language, without accents. PostgreSQL removes others. */
export const stopWordsOf = (language: string): ReadonlySet<string> => sets.get(searchConfiguration(language)) ?? NONE;

const NONE: ReadonlySet<string> = new Set();

/**
 * Version of the index. Version 1 had no parts of compounds, version 2 no page labels, version 3 no word with the stem of a
 * stop word, version 4 no words of scripts without blanks and no compatibility forms, version 5 words of hidden layers and
 * figures as names of columns. A new version re-indexes every knowledge base in the background.
 */
export const INDEX_VERSION = 6;

/** PostgreSQL's parser takes `client/server` and `numpy.array` for a path and a host, each one word. */
const JOINED = /[./\\](?<=([\p{L}\p{N}]+)[./\\])(?=([\p{L}\p{N}]+))/gu;
const NUMBER = /^\p{N}+$/u;

/** Letters stay together in abbreviations (`e.g`), digits in numbers (`3.14`, `1/2`). */
const splitJoined = (text: string): string =>
  text.replace(JOINED, (sign: string, before: string, after: string) => {
    const isAbbreviation = before.length === 1 && after.length === 1;
    return isAbbreviation || (NUMBER.test(before) && NUMBER.test(after)) ? sign : ' ';
  });

/** `e-mail` and `co-operate` are also written as one word. */
const SHORT_PREFIX = /(?<![\p{L}\p{N}-])(\p{L}{1,2})-(\p{L}{3,})(?![\p{L}-])/gu;

const withoutHyphen = (text: string): string => text.replace(SHORT_PREFIX, '$& $1$2');

const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const LEAST_PART = 3;

/** Words inside `parseXmlFile`; none in other words. */
export const camelParts = (word: string): string[] =>
  word.split(HUMP).filter((part, _, parts) => parts.length > 1 && part.length >= LEAST_PART);

const withCamelParts = (text: string): string =>
  text.replace(/\p{L}+/gu, (word) => [word, ...camelParts(word)].join(' '));

/** The question, with words in the form in which an index of this version stores them. */
export function searchableQuestion(text: string, indexVersion = INDEX_VERSION): string {
  const folded = foldedText(text);
  if (indexVersion < 2) return folded;
  const split = withoutHyphen(splitJoined(folded));
  return indexVersion < 5 ? split : spacedText(split);
}

/** The text of a passage as it is indexed: with compounds whole and in parts. */
export const searchableText = (text: string): string => withCamelParts(searchableQuestion(text));
