import { type ChatMessage, lastUserIndex, textOf } from '../../../kernel';
import { contentWords, wordsOf } from './question-words';
import { isSmallTalk } from './small-talk';

/** A longer question explains itself. */
const MOST_WORDS = 14;
const MOST_TOPICS = 4;
const MOST_CARRIED = 8;
/** Questions that are looked at: one that depends on another takes the topics of both. */
const MOST_TURNS = 3;

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words that stand for something said before, without accents. */
const POINTING = setOf(
  'it its this that these those they them their he she his him her there one ones ' +
    'esto eso ello ella ellos ellas esta ese esa estos estas esos esas aquel aquella aquello su sus lo le les ' +
    'aixo allo ho hi aquest aquesta aquests aquestes aquell aquella seu seva seus seves ell ells elles ' +
    'hau hori hura horrek honek hark horren honen haren horri honi hari horretan honetan hartan horretarako horiek hauek haiek bere beren bera',
);
/** The beginning of a message that goes on with what was said. */
const GOES_ON =
  /^(?:and|but|also|what about|how about|so|then|why|y|pero|entonces|i|pero|llavors|doncs|eta|baina|orduan|zergatik|por que|per que|e)\b/;
/** "What is X": a question of its own, whatever stands before it. */
const ASKS_WHAT = /\b(?:what (?:is|are|was|were)|que (?:es|son|era)|que (?:es|son)|zer (?:da|dira))\b/;
/** Words before a noun, or between a subject and what it is. Without them a single topic is a verb without its subject. */
const NAMES = setOf('el la los las un una els les l uns unes es son era da dira zen de del d sobre');
/** English has no question without a subject. */
const DROPS_SUBJECT =
  /\b(?:que|como|cuando|donde|cuanto|quien|cual|com|quan|on|quant|qui|quin|quina|zer|nola|noiz|non|zenbat|nork|zertarako)\b/;

/** Whether a question lacks its topic: it points to something said before, or leaves it out. */
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
 * The question with the topics of the ones before it, where it lacks its own; else as it is. A set of rules for
 * organizations without a model that would reword it.
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
