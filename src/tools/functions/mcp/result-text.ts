import { isJsonObject, type JsonObject } from '../../../kernel';
import { cleanText, cutText } from '../../output/clean-text';

/** UTF-16 units; the invoker cuts again at its own limit. */
const MAX_CHARS = 60_000;
const MAX_PARTS = 100;
const LABEL_CHARS = 300;

/** The result of a remote tool as text for a model. Images, audio and files are named, not included. */
export function resultText({ content, structuredContent }: JsonObject): string {
  const parts = Array.isArray(content) ? content.slice(0, MAX_PARTS).map(textOfPart) : [];
  const texts = parts.filter((text) => text !== '');
  if (texts.length === 0 && isJsonObject(structuredContent)) texts.push(JSON.stringify(structuredContent));
  return cleanText(cutText(texts.join('\n\n'), MAX_CHARS));
}

function textOfPart(part: unknown): string {
  if (!isJsonObject(part)) return '';
  switch (part['type']) {
    case 'text':
      return textIn(part['text']) ?? '';
    case 'resource':
      return textOfResource(part['resource']);
    case 'resource_link':
      return `[resource ${label(part['name'])} ${label(part['uri'])}]`;
    case 'image':
    case 'audio':
      return `[${part['type']} ${label(part['mimeType'])}]`;
    default:
      return '';
  }
}

function textOfResource(resource: unknown): string {
  if (!isJsonObject(resource)) return '';
  return textIn(resource['text']) ?? `[resource ${label(resource['uri'])} ${label(resource['mimeType'])}]`;
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? cutText(value, MAX_CHARS) : null);

const label = (value: unknown): string => (typeof value === 'string' ? cutText(value, LABEL_CHARS) : 'unnamed');
