import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How one call to a vendor or server ended. */
export interface ConnectionOutcome {
  /** ISO 8601. */
  readonly at: string;
  readonly ok: boolean;
  /** Error code of the failure; null after a success. */
  readonly code: string | null;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** The vendor's own words, cut and without credentials. */
  readonly vendor_message: string | null;
  readonly duration_ms: number;
}

/** The latest test or call of one vendor or server. */
export interface LatestOutcome {
  /** Slug. */
  readonly organization: string;
  /** Path in the settings. */
  readonly connection: string;
  /** Null: the address is the operator's or the vendor's own. */
  readonly url: string | null;
  readonly outcome: ConnectionOutcome;
}

export interface ConnectionState {
  /** Path in the settings: `providers.openai`, `mcp.servers.library`, `moodle`, `knowledge_base`. */
  readonly connection: string;
  /** The last test by an administrator. */
  readonly tested: ConnectionOutcome | null;
  /** The last call for an assistant. */
  readonly used: ConnectionOutcome | null;
}

/** The last outcomes of one vendor or server of an organization. */
@Entity('connection_health')
export class ConnectionHealthEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('text')
  connection!: string;

  /** Hash of address and secret. Outcomes under another hash are out of date. */
  @Column('text')
  fingerprint!: string;

  @Column('jsonb', { nullable: true })
  tested!: ConnectionOutcome | null;

  @Column('jsonb', { nullable: true })
  used!: ConnectionOutcome | null;
}
