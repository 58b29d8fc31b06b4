import { statementSummary } from './safe-client';

describe('the summary of a statement', () => {
  it.each([
    ['SELECT * FROM "runs" "run" WHERE "run"."name" = \'private\'', 'SELECT runs'],
    ['\n  INSERT INTO pgboss.job (id) VALUES ($1)', 'INSERT job'],
    ['UPDATE "public"."runs" SET a = 1', 'UPDATE runs'],
    ['BEGIN; SET LOCAL ROLE bellwether_app', 'BEGIN'],
    ['COMMIT', 'COMMIT'],
    ['', 'SQL'],
  ])('of %j is %s', (text, summary) => expect(statementSummary(text)).toBe(summary));
});
