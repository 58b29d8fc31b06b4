import { foldedText } from '@bellwether/kernel';

/** Lower-case words without accents. */
export const wordsOf = (text: string): string[] =>
  foldedText(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const listOf = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')));

/**
 * Words without a topic by language: articles, pronouns, prepositions, conjunctions, question words, auxiliary verbs, and
 * verbs of asking. They are closed classes; no subject is listed.
 */
export const FUNCTION_WORDS_OF = {
  en: listOf(
    'a an the this that these those it its he she him her his they them their we us our you your i me my mine one ones',
    'who whom whose which what when where why how and or but nor so yet if then than because while although though since',
    'of in on at by for from to with without about into over under between through during before after above below up down out off',
    'is are was were be been being am do does did done have has had having will would shall should can could may might must',
    'not no yes there here also too very just only more most less least much many some any all both each every other another such same',
    'please tell explain say mean means give show know want need let get got go again still now well ok s t d ll re ve',
  ),
  es: listOf(
    'el la los las lo un una unos unas al del este esta esto estos estas ese esa eso esos esas aquel aquella aquello ello ella ellos ellas',
    'yo tu usted nosotros vosotros ustedes me te se nos os le les mi mis su sus nuestro nuestra vuestro quien quienes cual cuales que',
    'cuando donde como cuanto cuanta cuantos cuantas porque por para con sin sobre entre hasta desde hacia segun tras durante a de en y e o u',
    'pero sino ni si no tambien tampoco ya aun todavia mas menos muy mucho mucha muchos muchas poco todo toda todos todas otro otra otros otras',
    'es son era eran fue fueron ser sido soy eres somos esta estan estaba estado estar ha han he hay haber hace hacer tiene tienen tener puede pueden poder',
    'entonces asi aqui ahi alli ahora explica explicame dime quiere decir significa ejemplo vale pues',
  ),
  ca: listOf(
    'els les l uns unes dels als pel pels aquest aquesta aixo aquests aquestes aquell aquella allo ho hi en na jo nosaltres vosaltres vostes ell',
    'em et ens us li seu seva seus seves meu meva nostre vostre qui quin quina quins quines quan on com quant quanta perque amb sense fins des cap',
    'i pero sino tambe tampoc encara molt molta molts moltes poc tot tota tots totes altre altra altres mes menys',
    'son eren fou foren estan hem heu han hi ha fa fer te tenen pot poden podem llavors aixi aqui alla ara explica m digues vol dir significa exemple doncs',
  ),
  eu: listOf(
    'eta edo baina ala ere bai ez zer zein zeinek nor nork noren nori non nora nondik noiz nola zenbat zergatik zertarako zertan zeri zeren',
    'hau hori hura hauek horiek haiek honek horrek hark honen horren haren honi horri hari honetan horretan hartan hemen hor han bera beraiek bere beren',
    'ni hi gu zu zuek nire zure gure da dira zen ziren izan du dute dut duzu zuen zuten dio dago daude egon egin egiten dela direla den diren duen duten',
    'bat batzuk beste oso asko gehiago gutxi guzti guztiak dena ba beraz orduan buruz esan esan nahi adierazi azaldu adibide adibidez mesedez',
  ),
} as const;

/** Words without a topic in English, Spanish, Catalan and Basque. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  Object.values(FUNCTION_WORDS_OF).flatMap((words) => [...words]),
);

/** Words with a topic, as they stand in the text, each once. */
export function contentWords(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const topics = words.filter((word) => {
    const folded = foldedText(word).toLowerCase();
    return folded.length > 1 && !FUNCTION_WORDS.has(folded);
  });
  return [...new Map(topics.map((word) => [foldedText(word).toLowerCase(), word])).values()];
}
