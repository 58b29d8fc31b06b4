import { type ChatMessage, isTextPart } from '@bellwether/kernel';

/** English has about four characters a token, many other languages three. */
const CHARS_PER_TOKEN = 3;
/** Roles and separators of one message. */
const TOKENS_PER_MESSAGE = 4;
/** OpenAI and Anthropic count some 750 to 1 600 tokens for an image of usual size. */
const TOKENS_PER_IMAGE = 1_000;

export const tokensOfChars = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

/** An upper estimate of the tokens of a prompt. */
export function promptTokens(messages: readonly ChatMessage[]): number {
  let chars = 0;
  let fixed = 0;
  for (const { content } of messages) {
    fixed += TOKENS_PER_MESSAGE;
    if (typeof content === 'string') chars += content.length;
    else
      for (const part of content ?? []) {
        if (isTextPart(part)) chars += part.text.length;
        else fixed += TOKENS_PER_IMAGE;
      }
  }
  return fixed + tokensOfChars(chars);
}
