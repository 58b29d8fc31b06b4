/** Stands for the values of all further combinations of labels. */
const OVERFLOW = 'other';

type Level<T> = Map<string, T>;

export interface OneSeries<T> {
  readonly values: readonly string[];
  readonly instrument: T;
}

/** One instrument for each combination of label values, up to a number. Looking one up allocates nothing. */
export class Series<T> {
  readonly all: OneSeries<T>[] = [];
  private readonly root: Level<Level<Level<Level<T>>>> = new Map();

  constructor(
    private readonly depth: number,
    private readonly most: number,
    private readonly make: () => T,
  ) {}

  readonly at = (a = '', b = '', c = '', d = ''): T =>
    this.root.get(a)?.get(b)?.get(c)?.get(d) ?? this.add([a, b, c, d]);

  private add(values: readonly string[]): T {
    const shown = this.all.length < this.most ? values.slice(0, this.depth) : OVERFLOWS.slice(0, this.depth);
    const [a = '', b = '', c = '', d = ''] = shown;
    const known = this.root.get(a)?.get(b)?.get(c)?.get(d);
    if (known !== undefined) return known;
    const instrument = this.make();
    const inA: Level<Level<Level<T>>> = levelIn(this.root, a);
    const inB: Level<Level<T>> = levelIn(inA, b);
    const inC: Level<T> = levelIn(inB, c);
    inC.set(d, instrument);
    this.all.push({ values: shown, instrument });
    return instrument;
  }
}

const OVERFLOWS = [OVERFLOW, OVERFLOW, OVERFLOW, OVERFLOW];

function levelIn<T>(level: Level<Level<T>>, key: string): Level<T> {
  const known = level.get(key);
  if (known !== undefined) return known;
  const made: Level<T> = new Map<string, T>();
  level.set(key, made);
  return made;
}
