/** Endings that the stemmers recognise by their accents only. Without them, singular and plural get different stems. */
const ENDINGS: Readonly<Record<string, readonly (readonly [ending: string, accented: string])[]>> = {
  spanish: [
    ['([csx])ion', '\\1ión'],
    ['logia(s?)', 'logía\\1'],
  ],
  catalan: [['([csx])io', '\\1ió']],
  portuguese: [
    ['cao', 'ção'],
    ['coes', 'ções'],
    ['sao', 'são'],
    ['soes', 'sões'],
  ],
};

/**
 * SQL for the stems of a folded text as `tsvector`, for chunks and questions alike. Both arguments are SQL expressions. The
 * text comes from `withoutStopWords`.
 */
export const termsOf = (configuration: string, text: string): string =>
  `to_tsvector(${configuration}::regconfig, ${withEndings(configuration, text)})`;

const withEndings = (configuration: string, text: string): string => {
  const cases = Object.entries(ENDINGS).map(([name, endings]) => {
    const restored = endings.reduce(
      (sql, [ending, accented]) => `regexp_replace(${sql}, '${ending}\\M', '${accented}', 'gi')`,
      text,
    );
    return `WHEN '${name}' THEN ${restored}`;
  });
  return `CASE ${configuration} ${cases.join(' ')} ELSE ${text} END`;
};
