import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError, uuidv7 } from '../../kernel';
import { livenessOf, ownIdentity, type ProcessIdentity, type Transaction } from '../../platform/database';

/** Longer than any one transaction; each renews it. */
const SECONDS = 60;
const NAME = 'lamb';

export interface Lease {
  readonly token: string;
}

interface Holder {
  readonly label: string;
  readonly process: ProcessIdentity;
}

/** One import at a time, over all processes, by the database's clock; that of a dead process is over at once. */
@Injectable()
export class ImportLeaseRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {AppError} `conflict` while somebody else imports. */
  async take(): Promise<Lease> {
    const token = uuidv7();
    if (await this.claim(token)) return { token };
    const other = await this.current();
    if (other !== null && livenessOf(other.holder.process) === 'dead') await this.giveBack(other);
    if (other === null || livenessOf(other.holder.process) === 'dead') {
      if (await this.claim(token)) return { token };
    }
    const whose = other === null ? '' : ` (${other.holder.label}; its turn ends at ${other.until.toISOString()})`;
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

  private async claim(token: string): Promise<boolean> {
    const holder: Holder = { label: `process ${process.pid} on ${hostname()}`, process: ownIdentity() };
    const taken: unknown[] = await this.dataSource.query(
      `INSERT INTO import_leases AS lease (name, token, holder, until)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))
       ON CONFLICT (name) DO UPDATE SET token = excluded.token, holder = excluded.holder, until = excluded.until
       WHERE lease.until < now()
       RETURNING token`,
      [NAME, token, JSON.stringify(holder), SECONDS],
    );
    return taken.length > 0;
  }

  private async current(): Promise<(Lease & { readonly holder: Holder; readonly until: Date }) | null> {
    const [row] = await this.dataSource.query<{ token: string; holder: string; until: Date }[]>(
      'SELECT token, holder, until FROM import_leases WHERE name = $1',
      [NAME],
    );
    return row === undefined ? null : { ...row, holder: JSON.parse(row.holder) as Holder };
  }
}
