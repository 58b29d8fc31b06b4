import { createPino, StructuredLogger } from './logger';

function capture(): { logger: StructuredLogger; lines: () => string[] } {
  let written = '';
  const logger = new StructuredLogger(createPino('info', { write: (line: string) => void (written += line) }));
  return { logger, lines: () => written.split('\n').filter((line) => line !== '') };
}

describe('StructuredLogger', () => {
  it('keeps a newline in a name inside one line', () => {
    const { logger, lines } = capture();
    logger.log({ msg: 'created', name: 'a\n{"level":60}' });
    expect(lines()).toHaveLength(1);
  });

  it('redacts credentials at every depth it promises', () => {
    const { logger, lines } = capture();
    logger.warn({
      authorization: 'sk-canary',
      headers: { 'x-api-key': 'sk-canary' },
      a: { b: { api_key: 'sk-canary' } },
    });
    expect(lines()[0]).not.toContain('sk-canary');
  });

  it('names the room that writes', () => {
    const { logger, lines } = capture();
    logger.log('hello', 'Database');
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ room: 'Database', msg: 'hello' });
  });
});
