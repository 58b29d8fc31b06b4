import { isJsonObject, LANGUAGE_BRIDGES, type LanguageGap, type Match, type ToldSearch } from '../../kernel';
import { cleanText, cutText } from './clean-text';

const MAX_CHARS = 1_000;
const MAX_LANGUAGES = 20;
const LANGUAGE = /^[a-z]{2,3}$/;

/** Facts that are malformed count as unknown: a tool does not fail for them. */
export function readSearch(value: unknown): ToldSearch | null {
  if (!isJsonObject(value)) return null;
  const match = readMatch(value.match);
  const languages = readLanguages(value.languages);
  const { searched_for: text } = value;
  const told = {
    ...(match === null ? {} : { match }),
    ...(typeof text === 'string' ? { searched_for: cleanText(cutText(text, MAX_CHARS)) } : {}),
    ...(languages === null ? {} : { languages }),
  };
  return Object.keys(told).length === 0 ? null : told;
}

function readMatch(value: unknown): Match | null {
  if (!isJsonObject(value)) return null;
  const { strength, weak } = value;
  const isKnown = typeof strength === 'number' && strength >= 0 && strength <= 1 && typeof weak === 'boolean';
  return isKnown ? { strength, weak } : null;
}

const isLanguage = (value: unknown): value is string => typeof value === 'string' && LANGUAGE.test(value);

function readLanguages(value: unknown): LanguageGap | null {
  if (!isJsonObject(value) || !isLanguage(value.question) || !Array.isArray(value.material)) return null;
  const material = (value.material as unknown[]).filter(isLanguage).slice(0, MAX_LANGUAGES);
  const bridge = LANGUAGE_BRIDGES.find((each) => each === value.bridge) ?? null;
  return { question: value.question, material, bridge };
}
