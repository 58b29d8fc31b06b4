import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DirectoryLock,
  type LockRecord,
  holderOf,
  ownIdentity,
  readLock,
} from '../../packages/embedded-postgres/src/directory-lock';
import { compile } from '../support/compiled';

describe('the lock of a data directory', () => {
  let directory: string;
  let file: string;
  const children: ChildProcess[] = [];

  const leave = (record: Partial<LockRecord>): LockRecord => {
    const whole: LockRecord = { ...ownIdentity(), token: 'stale', url: null, ...record };
    writeFileSync(file, JSON.stringify(whole));
    return whole;
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'bw-lock-'));
    file = join(directory, 'database.lock');
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  it('is held once, names its holder, and leaves nothing behind', async () => {
    const lock = await DirectoryLock.acquire(file);
    await expect(DirectoryLock.acquire(file)).rejects.toThrow(`in use by process ${process.pid}`);
    lock.announce('postgres://somewhere');
    expect(readLock(file)).toMatchObject({ pid: process.pid, url: 'postgres://somewhere' });
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('of a dead process is taken over', async () => {
    leave({ pid: 2 ** 22 + 1 });
    const lock = await DirectoryLock.acquire(file);
    expect([readLock(file)?.pid, lock.predecessor?.token]).toEqual([process.pid, 'stale']);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('of a dead process whose pid has been given to another one is taken over', async () => {
    leave({ pid: process.ppid, startTime: '1' });
    (await DirectoryLock.acquire(file)).release();
  });

  const lastBeat = (agoMs: number): void => {
    const then = new Date(Date.now() - agoMs);
    utimesSync(file, then, then);
  };

  it('of a process in another container, killed a moment ago, is waited out', async () => {
    leave({ realm: 'elsewhere', pid: 1 });
    lastBeat(9_700);
    (await DirectoryLock.acquire(file)).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('of a process in another container holds while its heart beats', async () => {
    leave({ realm: 'elsewhere', pid: 1 });
    lastBeat(8_000);
    const refused = expect(DirectoryLock.acquire(file)).rejects.toThrow('in use by process 1');
    lastBeat(7_000);
    await refused;
  });

  it('that was copied with its directory from a running service is not in use here', async () => {
    const original = await DirectoryLock.acquire(file);
    original.announce('postgres://somewhere');
    const copy = join(directory, 'copy');
    mkdirSync(copy);
    cpSync(file, join(copy, 'database.lock'));
    file = join(copy, 'database.lock');
    lastBeat(20_000);
    expect(await holderOf(file)).toBeNull();
    (await DirectoryLock.acquire(file)).release();
    original.release();
  });

  it.each([
    ['a process that was killed', { pid: 2 ** 22 + 1 }, 0, true],
    ['another process that got its pid', { pid: process.ppid, startTime: '1' }, 0, true],
    ['a running process', {}, 60_000, false],
    ['a process of another container, seconds ago', { realm: 'elsewhere', pid: 1 }, 3_000, false],
    ['a process of another container, long ago', { realm: 'elsewhere', pid: 1 }, 60_000, true],
  ])('of %s: a backup looks whether the process lives', (_name, record, agoMs, copies) => {
    leave(record);
    lastBeat(agoMs);
    mkdirSync(join(directory, 'postgres'));
    const target = join(directory, 'backup');
    const script = join(__dirname, '../../scripts/backup.sh');
    const { status, stderr } = spawnSync('bash', [script, target], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, DATA_DIR: directory },
    });
    expect([status, existsSync(join(target, 'database.tar')), /Stop the service/.test(stderr)]).toEqual(
      copies ? [0, true, false] : [1, false, true],
    );
  });

  it('is not released by one who has lost it', async () => {
    const lock = await DirectoryLock.acquire(file);
    leave({ token: 'of somebody else' });
    lock.release();
    expect(existsSync(file)).toBe(true);
  });

  it('that cannot be read stops the start with advice', async () => {
    writeFileSync(file, '');
    await expect(DirectoryLock.acquire(file)).rejects.toThrow('remove it if no process uses the directory');
  });

  it('of a dead process goes to exactly one of several that start at once', async () => {
    const compiled = compile();
    for (let round = 0; round < 4; round += 1) {
      leave({ pid: 2 ** 22 + 1, token: `round-${round}` });
      const moment = String(Date.now() + 700);
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const child = spawn(process.execPath, [
            join(__dirname, '../support/lock-contender.cjs'),
            compiled,
            file,
            moment,
          ]);
          children.push(child);
          const [line] = (await once(child.stdout, 'data')) as [Buffer];
          return line.toString().trim();
        }),
      );
      expect(outcomes.sort()).toEqual(['lost', 'lost', 'lost', 'lost', 'won']);
      for (const child of children.splice(0)) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
  });
});
