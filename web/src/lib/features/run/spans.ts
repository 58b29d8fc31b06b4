import type { RunState, Span } from './run-state';

/** A span's place on the shared clock, in percent of the whole run. */
export interface Bar {
  readonly span: Span;
  readonly left: number;
  readonly width: number;
  /** Position of the first text, in percent of the bar; null for everything but models. */
  readonly firstText: number | null;
  /** Milliseconds. */
  readonly duration: number;
}

const NARROWEST = 0.6;

/** Bars for every span; those that go on reach up to `elapsed`. Nothing leaves the box, however short or late it is. */
export function barsOf({ spans }: Pick<RunState, 'spans'>, elapsed: number): readonly Bar[] {
  const whole = Math.max(1, elapsed, ...spans.map(({ start, end }) => end ?? start));
  return spans.map((span) => {
    const end = Math.max(span.start, span.end ?? elapsed);
    const width = Math.min(100, Math.max(NARROWEST, ((end - span.start) / whole) * 100));
    const left = Math.min((span.start / whole) * 100, 100 - width);
    const first = span.firstText;
    const firstText = first === null || end === span.start ? null : ((first - span.start) / (end - span.start)) * 100;
    return { span, left, width, firstText, duration: span.duration ?? end - span.start };
  });
}

/** The reason in a message such as `❌ Tool failed: simple_rag - no knowledge base is chosen`; signs that fonts lack are left out. */
export function reasonOf(message: string): string {
  const behind = message.indexOf(' - ');
  return (behind === -1 ? message : message.slice(behind + 3)).replace(/^[^\p{L}\p{N}]+/u, '');
}
