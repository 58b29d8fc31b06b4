import { splitThoughts } from '../vendor';

const CANDIDATES = 20;

/**
 * The first JSON object in a model's answer, which may hold code fences, thoughts and text around it. Undefined without
 * one. Reads every character a bounded number of times.
 */
export function jsonInAnswer(answer: string): unknown {
  // Thoughts may hold drafts of the answer.
  const said = splitThoughts(answer).text;
  const whole = parsed(said.trim());
  if (whole !== undefined) return whole;
  let from = 0;
  for (let tries = 0; tries < CANDIDATES; tries++) {
    const start = said.indexOf('{', from);
    if (start === -1) return undefined;
    const end = endOfObject(said, start);
    if (end === -1) {
      from = start + 1;
      continue;
    }
    const value = parsed(said.slice(start, end));
    if (value !== undefined) return value;
    from = start + 1;
  }
  return undefined;
}

/** Objects only: everything that is asked for is one. */
function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Offset after the brace that closes the object at `start`; -1 when none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (quoted) {
      if (sign === BACKSLASH) at++;
      else if (sign === QUOTE) quoted = false;
    } else if (sign === QUOTE) quoted = true;
    else if (sign === OPEN) depth++;
    else if (sign === CLOSE && --depth === 0) return at + 1;
  }
  return -1;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [34, 92, 123, 125];
