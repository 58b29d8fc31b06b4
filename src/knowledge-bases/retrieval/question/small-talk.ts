import { wordsOf } from './question-words';

const listOf = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')));

/** Greetings, thanks, praise and farewells in English, Spanish, Catalan and Basque, without accents. */
const COURTESIES = listOf(
  'hi hello hey thanks thank thx ty cheers bye goodbye welcome great perfect cool nice awesome excellent wonderful brilliant super ok okay',
  'good morning afternoon evening night sorry understood clear',
  'hola buenas buenos dias tardes noches gracias adios chao perfecto perfecta genial vale estupendo estupenda excelente fantastico entendido claro saludos',
  'bon bona dia tarda tardes nit gracies merci adeu perfecte dacord entesos fantastic excellent salutacions ostres',
  'kaixo aupa egun arratsaldeon arratsalde gabon eskerrik mila esker agur primeran bikain ados ederki ulertuta',
);

/** Words that accompany courtesies. */
const FILLERS = listOf(
  'you so much very a lot again that was is it s this for your the help helpful answer explanation everything all to me i now and my friend there',
  'how are doing today really well good later see soon tomorrow day have had been just',
  'muchas muchos mil muy por tu su la el ayuda explicacion respuesta todo ya que tal como estas esta usted te lo ha sido eso fue hasta luego manana pronto un una y a me bien has',
  'moltes molt per teva seva resposta explicacio tot l m com estat ara fins aviat dema i vos ajuda d acord be anat',
  'zure laguntza laguntzagatik laguntzarengatik erantzuna azalpena zer moduz zaude oso ondo izan da hau hori gero arte bihar eta on asko dena zuri',
);

/** Courtesies that are questions ("How are you?"), but not to the material. */
const ASKS_AFTER = /\b(?:how are you|que tal|como estas?|com (?:estas?|va)|zer moduz)\b/;
const GREETS = /^(?:hi|hello|hey|hola|buenas|kaixo|aupa|bon|bona)\b/;
const MOST_WORDS = 14;

/** Whether a message only greets, thanks, praises or says goodbye: no passage answers it. */
export function isSmallTalk(message: string): boolean {
  const words = wordsOf(message);
  if (words.length === 0 || words.length > MOST_WORDS) return false;
  if (!words.every((word) => COURTESIES.has(word) || FILLERS.has(word))) return false;
  if (!words.some((word) => COURTESIES.has(word))) return false;
  const text = words.join(' ');
  return !message.includes('?') || ASKS_AFTER.test(text) || GREETS.test(text);
}
