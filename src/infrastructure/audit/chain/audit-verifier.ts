import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '../../database';
import type { DerivedKey } from '../../secrets';
import { type Anchor, AuditChainWriter, ChainHeadError } from './audit-chain-writer';
import { ChainRepository } from './chain.repository';
import { ChainWalk, type ChainResult } from './chain-walk';

export interface ChainReport extends ChainResult {
  readonly intact: boolean;
  /** Written within the last seconds, or waiting because the chain is broken: not protected yet. */
  readonly unsealed: number;
  readonly checked_at: string;
}

/** State of the chain without a new verification. */
export interface ChainState {
  readonly sealed_through: number;
  readonly unsealed: number;
  /** Last verification; null before the first. */
  readonly checked: { readonly at: string; readonly intact: boolean } | null;
}

const BATCH = 500;

@Injectable()
export class AuditVerifier {
  constructor(
    private readonly chains: ChainRepository,
    private readonly sealer: AuditChainWriter,
    private readonly transactions: Transactions,
  ) {}

  async state(organizationId: string): Promise<ChainState> {
    const [chain, unsealed] = await Promise.all([
      this.chains.find(organizationId),
      this.chains.countUnsealed(organizationId),
    ]);
    const checked =
      chain?.checkedAt == null ? null : { at: chain.checkedAt.toISOString(), intact: chain.checkedIntact === true };
    return { sealed_through: chain?.sequence ?? 0, unsealed, checked };
  }

  /**
   * Seals what is waiting, then checks every entry of the chain. `noted` is an end of the chain that was kept elsewhere:
   * it shows whether an older state of the database was restored.
   * @throws {AppError} `secret_unavailable` without the operator's key
   */
  async verify(organizationId: string, noted: Anchor | null = null): Promise<ChainReport> {
    const key = await this.sealer.keyOf(organizationId);
    await this.sealer.seal(organizationId).catch((error: unknown) => {
      if (!(error instanceof ChainHeadError)) throw error;
    });
    const first = await this.walk(organizationId, key, noted);
    // A redaction or pruning during the walk looks like tampering: look again while the chain stands still.
    const result = first.findings.length === 0 ? first : await this.walkLocked(organizationId, key, noted);
    const intact = result.findings.length === 0;
    await this.chains.noteCheck(organizationId, intact);
    const unsealed = await this.chains.countUnsealed(organizationId);
    return { intact, unsealed, checked_at: new Date().toISOString(), ...result };
  }

  private walkLocked(organizationId: string, key: DerivedKey, noted: Anchor | null): Promise<ChainResult> {
    return this.transactions.run(async (tx) => {
      await this.chains.lock(organizationId, tx);
      return this.walk(organizationId, key, noted, tx);
    });
  }

  private async walk(
    organizationId: string,
    key: DerivedKey,
    noted: Anchor | null,
    tx?: Transaction,
  ): Promise<ChainResult> {
    const walk = new ChainWalk(key, noted);
    for (;;) {
      const entries = await this.chains.sealedAfter(organizationId, walk.position, BATCH, tx);
      for (const entry of entries) walk.visit(entry);
      if (entries.length < BATCH) break;
    }
    return walk.result(await this.chains.find(organizationId, tx));
  }
}
