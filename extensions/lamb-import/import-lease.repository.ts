import { AppError, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  AcrossOrganizations,
  hasEnded,
  holderHere,
  type LeaseHolder,
  processLabel,
  type Transaction,
} from '../../src/infrastructure/database';

/** Longer than a transaction; each transaction renews the lease. */
const SECONDS = 60;
const NAME = 'lamb';

export interface Lease {
  readonly token: string;
}

/** The lease for one import at a time over all processes, by the database's clock. A dead process loses it at once. */
@Injectable()
export class ImportLeaseRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {AppError} `conflict` while another import runs */
  @AcrossOrganizations('import')
  async take(): Promise<Lease> {
    const token = uuidv7();
    if (await this.claim(token)) return { token };
    const other = await this.current();
    const isFree = other === null || hasEnded(other.holder);
    if (other !== null && isFree) await this.release(other);
    if (isFree && (await this.claim(token))) return { token };
    const whose = other === null ? '' : ` (${other.holder.label}; its lease ends at ${other.until.toISOString()})`;
    throw new AppError('conflict', `Another import is running${whose}`);
  }

  /** Extends the lease. @throws {AppError} `conflict` when another import has taken over */
  @AcrossOrganizations('import')
  async renew({ token }: Lease, tx?: Transaction): Promise<void> {
    const [, affected] = await (tx ?? this.dataSource.manager).query<[unknown, number]>(
      `UPDATE import_leases SET until = now() + make_interval(secs => $3) WHERE name = $1 AND token = $2`,
      [NAME, token, SECONDS],
    );
    if (affected !== 1) throw new AppError('conflict', 'Another import has taken over');
  }

  @AcrossOrganizations('import')
  async release({ token }: Lease): Promise<void> {
    await this.dataSource.query('DELETE FROM import_leases WHERE name = $1 AND token = $2', [NAME, token]);
  }

  /** True while any process imports. */
  @AcrossOrganizations('import')
  async isTaken(): Promise<boolean> {
    const live: unknown[] = await this.dataSource.query('SELECT 1 FROM import_leases WHERE until >= now()');
    return live.length > 0;
  }

  private async claim(token: string): Promise<boolean> {
    const taken: unknown[] = await this.dataSource.query(
      `INSERT INTO import_leases AS lease (name, token, holder, until)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))
       ON CONFLICT (name) DO UPDATE SET token = excluded.token, holder = excluded.holder, until = excluded.until
       WHERE lease.until < now()
       RETURNING token`,
      [NAME, token, JSON.stringify(holderHere(processLabel)), SECONDS],
    );
    return taken.length > 0;
  }

  private async current(): Promise<(Lease & { readonly holder: LeaseHolder; readonly until: Date }) | null> {
    const [row] = await this.dataSource.query<{ token: string; holder: string; until: Date }[]>(
      'SELECT token, holder, until FROM import_leases WHERE name = $1',
      [NAME],
    );
    return row === undefined ? null : { ...row, holder: JSON.parse(row.holder) as LeaseHolder };
  }
}
