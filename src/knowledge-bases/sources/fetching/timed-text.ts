import { isJsonObject } from '../../../kernel';

/**
 * A caption track as a WebVTT file. Reads json3, the form in which YouTube's player gets its captions, and WebVTT. Null
 * when there are no words in it.
 */
export function toWebVtt(text: string, title: string): string | null {
  const cues = text.startsWith('WEBVTT') ? text.replace(/^WEBVTT[^\n]*\n?/, '').trim() : cuesOf(text);
  return cues === '' ? null : `WEBVTT${title === '' ? '' : ` - ${title}`}\n\n${cues}\n`;
}

function cuesOf(text: string): string {
  const events = eventsOf(text);
  return events
    .flatMap((event): string[] => {
      if (!isJsonObject(event)) return [];
      const { tStartMs: start, dDurationMs: duration, segs } = event;
      if (typeof start !== 'number' || !Number.isFinite(start) || start < 0) return [];
      const words = wordsOf(segs);
      const length = typeof duration === 'number' && duration > 0 ? duration : 1;
      return words === '' ? [] : [`${clock(start)} --> ${clock(start + length)}\n${words}`];
    })
    .join('\n\n');
}

function eventsOf(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && Array.isArray(value['events']) ? (value['events'] as unknown[]) : [];
  } catch {
    return [];
  }
}

const wordsOf = (segments: unknown): string =>
  (Array.isArray(segments) ? (segments as unknown[]) : [])
    .map((segment) => (isJsonObject(segment) && typeof segment['utf8'] === 'string' ? segment['utf8'] : ''))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

function clock(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const part = (value: number, digits: number): string => String(value).padStart(digits, '0');
  const seconds = Math.floor(whole / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${part(hours, 2)}:${part(minutes, 2)}:${part(seconds % 60, 2)}.${part(whole % 1000, 3)}`;
}
