import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDataFiles } from './data-files';
import { takeSnapshot } from './snapshot';
import { EngineMutex, type SharedEngine } from './wire/shared-engine';
import { requestSnapshot, serveSnapshot } from './wire/snapshot-request';

jest.mock('./data-files', () => ({ ...jest.requireActual('./data-files'), copyDataFiles: jest.fn() }));

const diskFull = (): Error => Object.assign(new Error('ENOSPC: no space left, copyfile …'), { code: 'ENOSPC' });
const signal = new AbortController().signal;

describe('a copy of the data files that fills the disk', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'bw-snapshot-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('is called so, and leaves neither files nor a lock', async () => {
    mkdirSync(join(dataDir, 'postgres'));
    jest.mocked(copyDataFiles).mockImplementation(async (_from, to) => {
      mkdirSync(to);
      writeFileSync(join(to, 'half'), 'half');
      return Promise.reject(diskFull());
    });
    await expect(takeSnapshot(dataDir, { signal })).rejects.toThrow('The disk of the data directory is full');
    expect(readdirSync(dataDir)).toEqual(['postgres']);
  });

  it('is called so by the process that has the files, which goes on', async () => {
    const mutex = new EngineMutex({ waitMs: 1_000, idleLimitMs: 1_000 });
    const engine = { mutex, engine: { copyFiles: () => Promise.reject(diskFull()) } } as unknown as SharedEngine;
    const server = createServer((socket) => void serveSnapshot(socket, engine)).listen(join(dataDir, 's'));
    await once(server, 'listening');
    for (let time = 0; time < 2; time += 1) {
      await expect(requestSnapshot(join(dataDir, 's'), signal)).rejects.toThrow(
        'The disk of the data directory is full',
      );
    }
    server.close();
  });
});
