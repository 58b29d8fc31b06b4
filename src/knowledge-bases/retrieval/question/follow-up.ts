import { type ChatMessage, lastUserIndex, textOf } from '@bellwether/kernel';
import { contentWords, wordsOf } from './question-words';

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

/** Whether a message only greets, thanks, praises or says goodbye: no passage answers it. */
export function isSmallTalk(message: string): boolean {
  const words = wordsOf(message);
  if (words.length === 0 || words.length > MOST_WORDS) return false;
  if (!words.every((word) => COURTESIES.has(word) || FILLERS.has(word))) return false;
  if (!words.some((word) => COURTESIES.has(word))) return false;
  const text = words.join(' ');
  return !message.includes('?') || ASKS_AFTER.test(text) || GREETS.test(text);
}

/** A longer question is taken to be complete. */
const MOST_WORDS = 14;
const MOST_TOPICS = 4;
const MOST_CARRIED = 8;
/** Earlier questions that give topics. The search stops at the first one that is complete by itself. */
const MOST_TURNS = 3;

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words that refer to something said before (mostly pronouns), without accents. */
const POINTING = setOf(
  'it its this that these those they them their he she his him her there one ones ' +
    'esto eso ello ella ellos ellas esta ese esa estos estas esos esas aquel aquella aquello su sus lo le les ' +
    'aixo allo ho hi aquest aquesta aquests aquestes aquell aquella seu seva seus seves ell ells elles ' +
    'hau hori hura horrek honek hark horren honen haren horri honi hari horretan honetan hartan horretarako horiek hauek haiek bere beren bera',
);
/** Beginnings of a message that continues the conversation. */
const GOES_ON =
  /^(?:and|but|also|what about|how about|so|then|why|y|pero|entonces|i|pero|llavors|doncs|eta|baina|orduan|zergatik|por que|per que|e)\b/;
/** "What is X": complete by itself, whatever was said before. */
const ASKS_WHAT = /\b(?:what (?:is|are|was|were)|que (?:es|son|era)|que (?:es|son)|zer (?:da|dira))\b/;
/** Articles, prepositions and forms of "to be". Without one of them, a single topic is probably a verb without its subject. */
const NAMES = setOf('el la los las un una els les l uns unes es son era da dira zen de del d sobre');
/** Question words of languages that drop the subject; English is not one of them. */
const DROPS_SUBJECT =
  /\b(?:que|como|cuando|donde|cuanto|quien|cual|com|quan|on|quant|qui|quin|quina|zer|nola|noiz|non|zenbat|nork|zertarako)\b/;

/** Whether a question lacks its topic: it refers to something said before, or has no subject. */
export function dependsOnConversation(question: string): boolean {
  const words = wordsOf(question);
  const topics = contentWords(question);
  if (words.length === 0 || words.length > MOST_WORDS) return false;
  if (topics.length === 0) return true;
  const text = words.join(' ');
  if (ASKS_WHAT.test(text) && !words.slice(2).some((word) => POINTING.has(word))) return false;
  if (topics.length > MOST_TOPICS) return false;
  if (GOES_ON.test(text) || words.some((word) => POINTING.has(word))) return true;
  return topics.length === 1 && DROPS_SUBJECT.test(text) && !words.some((word) => NAMES.has(word));
}

/** Earlier questions of the user, latest first. */
function earlierQuestions(messages: readonly ChatMessage[]): string[] {
  return messages
    .slice(0, Math.max(0, lastUserIndex(messages)))
    .filter(({ role }) => role === 'user')
    .map(({ content }) => textOf(content))
    .filter((text) => text.trim() !== '' && !isSmallTalk(text))
    .reverse();
}

export const isFirstQuestion = (messages: readonly ChatMessage[]): boolean => earlierQuestions(messages).length === 0;

/**
 * Adds the topics of earlier questions to a question that lacks its own; leaves other questions unchanged. Used when no
 * model rewrites the question.
 */
export function withTopics(question: string, messages: readonly ChatMessage[]): string {
  if (!dependsOnConversation(question)) return question;
  const known = new Set(wordsOf(question));
  const carried: string[] = [];
  for (const earlier of earlierQuestions(messages).slice(0, MOST_TURNS)) {
    for (const topic of contentWords(earlier)) {
      const [folded = ''] = wordsOf(topic);
      if (known.has(folded)) continue;
      known.add(folded);
      carried.push(topic);
    }
    if (!dependsOnConversation(earlier)) break;
  }
  return [question, ...carried.slice(0, MOST_CARRIED)].join(' ');
}
