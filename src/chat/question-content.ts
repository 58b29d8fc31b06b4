import { AppError, type ContentPart, invalid, isJsonObject, isTextPart, type Problem } from '@bellwether/kernel';
import { storable } from '../runs';
import type { QuestionContent } from './conversation-message.entity';

export const MAX_QUESTION_CHARS = 100_000;
export const MAX_PICTURES = 8;
const MAX_PARTS = 32;
const DATA_URL = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/;
const WEB_URL = /^https?:\/\/\S{1,2000}$/;

const TEXT = 'must be a text';
const tooMany = (limit: number): Pick<Problem, 'code' | 'values'> => ({ code: 'value.max_items', values: { limit } });
const PICTURE = 'must be a PNG, JPEG, WebP or GIF picture as a data URL, or a web address';

/** Reads text, or text with pictures in OpenAI's content parts. @throws AppError `validation_failed` with every problem */
export function questionContent(content: unknown): QuestionContent {
  if (typeof content === 'string') return checked({ text: storable(content), parts: null });
  if (!Array.isArray(content)) throw invalid([{ path: 'content', message: 'must be a text or a list of parts' }]);
  if (content.length > MAX_PARTS)
    throw invalid([{ path: 'content', message: `must hold at most ${MAX_PARTS} parts`, ...tooMany(MAX_PARTS) }]);
  const problems: Problem[] = [];
  const parts: ContentPart[] = [];
  for (const [index, given] of (content as unknown[]).entries()) {
    const part = partOf(given);
    if ('message' in part) problems.push({ path: `content[${index}]${part.member}`, message: part.message });
    else parts.push(part.part);
  }
  const pictures = parts.filter((part) => !isTextPart(part)).length;
  if (pictures > MAX_PICTURES)
    problems.push({ path: 'content', message: `must hold at most ${MAX_PICTURES} pictures`, ...tooMany(MAX_PICTURES) });
  if (problems.length > 0) throw invalid(problems);
  const text = parts.flatMap((part) => (isTextPart(part) ? [part.text] : [])).join('\n');
  return checked({ text, parts: pictures === 0 ? null : parts });
}

function partOf(
  given: unknown,
): { readonly part: ContentPart } | { readonly member: string; readonly message: string } {
  if (!isJsonObject(given)) return { member: '', message: 'must be an object' };
  if (given['type'] === 'text') {
    const { text } = given;
    return typeof text === 'string'
      ? { part: { type: 'text', text: storable(text) } }
      : { member: '.text', message: TEXT };
  }
  if (given['type'] !== 'image_url') return { member: '.type', message: 'must be one of text, image_url' };
  const url = isJsonObject(given['image_url']) ? given['image_url']['url'] : undefined;
  if (typeof url !== 'string' || !isPictureUrl(url)) return { member: '.image_url.url', message: PICTURE };
  return { part: { type: 'image_url', image_url: { url } } };
}

const isPictureUrl = (url: string): boolean => (url.startsWith('data:') ? DATA_URL.test(url) : WEB_URL.test(url));

function checked(content: QuestionContent): QuestionContent {
  if (content.parts === null && content.text.trim() === '')
    throw invalid([{ path: 'content', message: 'must not be empty', code: 'value.missing' }]);
  if (content.text.length > MAX_QUESTION_CHARS)
    throw new AppError('payload_too_large', `A question may hold ${MAX_QUESTION_CHARS} characters at most`, {
      reason: 'question.too_long',
      values: { limit: MAX_QUESTION_CHARS },
    });
  return content;
}
