import { SessionSettings } from './settings';

const changedBy = (text: string, tags: string[]): boolean => {
  const settings = new SessionSettings();
  settings.observe([text], tags);
  return settings.changed;
};

describe('a session whose settings are watched', () => {
  it.each([
    ['SET LOCAL ROLE app', ['SET']],
    ["SELECT set_config('app.organization', $1, true)", ['SELECT 1']],
    ['UPDATE items SET note = 1', ['UPDATE 1']],
    ["INSERT INTO items VALUES ('SET x')", ['INSERT 0 1']],
  ])('costs nothing for %s', (text, tags) => {
    expect(changedBy(text, tags)).toBe(false);
  });

  it.each([
    ['SET search_path = a', ['SET']],
    ['RESET ALL', ['RESET']],
    ['BEGIN; SET LOCAL a = 1; SET b = 2; COMMIT', ['BEGIN', 'SET', 'SET', 'COMMIT']],
    ["SELECT set_config('app.organization', $1, false)", ['SELECT 1']],
    ["SELECT set_config('a.b', $1, true), set_config('c.d', $2, false)", ['SELECT 1']],
  ])('is read again after %s', (text, tags) => {
    expect(changedBy(text, tags)).toBe(true);
  });

  it('is read again after a SET that was prepared in an earlier turn', () => {
    const settings = new SessionSettings();
    settings.observe([], ['SET']);
    expect(settings.changed).toBe(true);
  });

  it('remembers settings that PostgreSQL does not list', () => {
    const settings = new SessionSettings();
    settings.observe(["SET app.one = 'x'; SELECT set_config('app.two', 'y', false)"], ['SET', 'SELECT 1']);
    expect(settings.reading()).toContain("ARRAY['app.one', 'app.two']");
  });
});
