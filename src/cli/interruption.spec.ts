import { Interruption } from './interruption';

describe('Ctrl-C', () => {
  let interruption: Interruption;
  beforeEach(() => {
    interruption = new Interruption();
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    interruption.end();
    jest.restoreAllMocks();
  });

  it('ends a command at once that never asks for the signal', () => {
    const before = process.listenerCount('SIGINT');
    new Interruption().end();
    expect(process.listenerCount('SIGINT')).toBe(before);
  });

  it('asks the command to stop first, and ends the process when repeated', () => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    const { signal } = interruption;
    process.emit('SIGINT', 'SIGINT');
    expect([signal.aborted, kill.mock.calls]).toEqual([true, []]);
    process.emit('SIGINT', 'SIGINT');
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGINT');
  });
});
