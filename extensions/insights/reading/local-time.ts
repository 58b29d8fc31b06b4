const DAY_MS = 86_400_000;
/** All offsets from UTC are multiples of it. */
const QUARTER_MS = 15 * 60_000;

export interface LocalHour {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** 0..23 */
  readonly hour: number;
}

/** Days and hours of one time zone. Formats each quarter of an hour once: formatting is slow. */
export class LocalTime {
  private readonly format: Intl.DateTimeFormat;
  private readonly known = new Map<number, LocalHour>();

  /** `timeZone`: an IANA name */
  constructor(timeZone: string) {
    const numbers = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' } as const;
    this.format = new Intl.DateTimeFormat('en-CA', { timeZone, hourCycle: 'h23', calendar: 'iso8601', ...numbers });
  }

  at(time: number): LocalHour {
    const quarter = Math.floor(time / QUARTER_MS);
    const known = this.known.get(quarter) ?? this.read(quarter * QUARTER_MS);
    this.known.set(quarter, known);
    return known;
  }

  private read(time: number): LocalHour {
    const parts = new Map(this.format.formatToParts(time).map(({ type, value }) => [type, value]));
    const [year = '', month = '', day = '', hour] = (['year', 'month', 'day', 'hour'] as const).map((type) =>
      parts.get(type),
    );
    return { day: `${year.padStart(4, '0')}-${month}-${day}`, hour: Number(hour) };
  }
}

/** So many days until `last`, oldest first. */
export function daysUntil(last: string, count: number): readonly string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: count }, (_, at) => new Date(end - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10));
}
