export interface UsedSeries {
  readonly series: string;
  /** Labels that its selector names. */
  readonly labels: readonly string[];
}

export interface ReadQuery {
  readonly series: readonly UsedSeries[];
  /** Labels of `by (...)`. */
  readonly grouped: readonly string[];
}

const WORDS: ReadonlySet<string> = new Set([
  'and',
  'or',
  'unless',
  'by',
  'without',
  'on',
  'ignoring',
  'bool',
  'offset',
]);

/** The series and labels of a PromQL expression. Covers what dashboards and alert rules of this project use. */
export function readQuery(expression: string): ReadQuery {
  const plain = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\[[^\]]*\]/g, '');
  const grouped: string[] = [];
  const selected = plain.replace(/\b(?:by|on) *\(([^)]*)\)/g, (_found, labels: string) => {
    grouped.push(...labels.split(',').map((label) => label.trim()));
    return '';
  });
  const found = selected.matchAll(/\b([a-z_][a-z0-9_]*)\b(?! *\() *(?:\{([^}]*)\})?/gi);
  const series = [...found]
    .filter(([, name = '']) => !WORDS.has(name))
    .map(([, name = '', matchers = '']) => ({
      series: name,
      labels: [...matchers.matchAll(/([a-z_][a-z0-9_]*) *[=!]/gi)].map(([, label = '']) => label),
    }));
  return { series, grouped };
}
