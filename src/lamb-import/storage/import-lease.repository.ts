import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError, uuidv7 } from '../../kernel';
import type { Transaction } from '../../platform/database';

/** Longer than any one transaction; each renews it. */
const SECONDS = 60;
const NAME = 'lamb';

export interface Lease {
  readonly token: string;
}

/** One import at a time, over all processes, by the database's clock. */
@Injectable()
export class ImportLeaseRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {AppError} `conflict` while somebody else imports. */
  async take(): Promise<Lease> {
    const token = uuidv7();
    const holder = `process ${process.pid} on ${hostname()}`;
    const taken: unknown[] = await this.dataSource.query(
      `INSERT INTO import_leases AS lease (name, token, holder, until)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))
       ON CONFLICT (name) DO UPDATE SET token = excluded.token, holder = excluded.holder, until = excluded.until
       WHERE lease.until < now()
       RETURNING token`,
      [NAME, token, holder, SECONDS],
    );
    if (taken.length > 0) return { token };
    const [other] = await this.dataSource.query<{ holder: string; until: Date }[]>(
      'SELECT holder, until FROM import_leases WHERE name = $1',
      [NAME],
    );
    const whose = other === undefined ? '' : ` (${other.holder}; its turn ends at ${other.until.toISOString()})`;
    throw new AppError('conflict', `Another import is running${whose}`);
  }

  /** Held until now and for a while longer. @throws {AppError} `conflict` when somebody else took it meanwhile. */
  async renew({ token }: Lease, tx?: Transaction): Promise<void> {
    const [, affected] = await (tx ?? this.dataSource.manager).query<[unknown, number]>(
      `UPDATE import_leases SET until = now() + make_interval(secs => $3) WHERE name = $1 AND token = $2`,
      [NAME, token, SECONDS],
    );
    if (affected !== 1) throw new AppError('conflict', 'Another import has taken over');
  }

  async giveBack({ token }: Lease): Promise<void> {
    await this.dataSource.query('DELETE FROM import_leases WHERE name = $1 AND token = $2', [NAME, token]);
  }
}
