import { Inject, Injectable } from '@nestjs/common';
import { DataSource, MoreThan, Not } from 'typeorm';
import { CONFIG, type Config } from '../../infrastructure/config';
import { AcrossOrganizations, type Transaction } from '../../infrastructure/database';
import type { KeyRow } from '../api-key.repository';
import { SessionEntity } from './session.entity';

/** Hours from sign-in that end a session of single sign-on or a launch: the institution says again who somebody is. */
const VOUCHED_HOURS = 24;
/** Hours without a request that end such a session, and every one that lives no longer. */
const VOUCHED_IDLE_HOURS = 8;
/** Milliseconds from signing in by a password in which the person may link an account of a provider. */
const LINKING_MS = 3_600_000;
/** Sessions of one member; the oldest is removed first. */
const MOST_SESSIONS = 50;

/** A session in the form of a key. A role that changed since sign-in counts as disabled. */
const sessionRow = (idleDays: number): string => `
  SELECT session.id, session.hash, session.organization_id AS "organizationId", organization.slug AS "organizationSlug",
         organization.is_system AS "isSystem", session.user_id AS "userId", member.role,
         member.disabled OR organization.suspended OR member.role <> session.role AS disabled,
         organization.erase_after IS NOT NULL AS "isEnded",
         person.system_admin AS "systemAdmin", session.scopes,
         coalesce(session.assistant_ids, key.assistant_ids) AS "assistantIds", session.activity_ids AS "activityIds",
         coalesce(key.published_only, session.assistant_ids IS NOT NULL) AS "publishedOnly",
         LEAST(session.expires_at, key.expires_at, session.last_seen_at +
               CASE WHEN session.expires_at - session.created_at > interval '${VOUCHED_HOURS} hours'
                    THEN interval '${idleDays} days' ELSE interval '${VOUCHED_IDLE_HOURS} hours' END,
               CASE WHEN session.issuer_key IS NULL AND NOT person.system_admin
                     AND organization.settings #>> '{features,local_sign_in}' = 'false'
                    THEN session.created_at + interval '${VOUCHED_HOURS} hours' END) AS "expiresAt",
         key.revoked_at AS "revokedAt", session.created_at AS "createdAt", session.last_seen_at AS "lastSeenAt",
         session.api_key_id AS "apiKeyId", session.issuer_key AS "issuerKey",
         session.by_password AS "byPassword"
    FROM sessions session
    JOIN organizations organization ON organization.id = session.organization_id
    JOIN members member ON member.organization_id = session.organization_id AND member.user_id = session.user_id
    JOIN users person ON person.id = session.user_id
    LEFT JOIN api_keys key ON key.id = session.api_key_id
   WHERE `;

export interface OpenSession {
  readonly id: string;
  readonly apiKeyId: string | null;
  readonly issuerKey: string | null;
  readonly byPassword: boolean;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

export type NewSession = Pick<
  SessionEntity,
  'id' | 'organizationId' | 'userId' | 'apiKeyId' | 'hash' | 'role' | 'scopes'
> & {
  readonly signOn?: SignOn;
  readonly assistantIds?: readonly number[];
  readonly activityIds?: readonly string[];
  readonly byPassword?: boolean;
  /** Somebody else says who the person is: an identity provider or a learning platform. */
  readonly isVouched?: boolean;
};

/** The provider and person behind a session of single sign-on. */
export type SignOn = {
  readonly [Member in 'issuerKey' | 'issuer' | 'subject']: string;
} & Pick<SessionEntity, 'providerSession' | 'idToken'> & { readonly issuedAt: Date | null };

/** The sessions that a provider ends: all of one subject, or one session of the provider. */
export interface EndedAtProvider {
  readonly issuer: string;
  readonly subject: string | null;
  readonly session: string | null;
  /** Time by the provider's clock. Later sessions stay: a notice that is sent twice ends nothing new. */
  readonly issuedAt: Date;
}

export interface EndedSession {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
}

const NO_SIGN_ON = {
  issuerKey: null,
  issuer: null,
  subject: null,
  providerSession: null,
  idToken: null,
  issuedAt: null,
};

/** Values in the order of the columns. */
const signOnColumns = (signOn: SignOn | undefined): readonly unknown[] => {
  const { issuerKey, issuer, subject, providerSession, idToken, issuedAt } = signOn ?? NO_SIGN_ON;
  return [issuerKey, issuer, subject, providerSession, idToken, issuedAt];
};

type SessionOfMember = Pick<SessionEntity, 'organizationId' | 'userId' | 'id'>;

@Injectable()
export class SessionRepository {
  private readonly row: string;
  private readonly hours: number;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) { sessions }: Pick<Config, 'sessions'>,
  ) {
    this.row = sessionRow(sessions.idleDays);
    this.hours = sessions.days * 24;
  }

  /** No organization is known yet; the token itself is the proof. */
  @AcrossOrganizations('sign-in')
  async findByHash(hash: string, source: Pick<Transaction, 'query'> = this.dataSource): Promise<KeyRow | null> {
    const [row] = await source.query<KeyRow[]>(`${this.row} session.hash = $1`, [hash]);
    return row ?? null;
  }

  @AcrossOrganizations('sign-in')
  async findById(id: string): Promise<KeyRow | null> {
    const [row] = await this.dataSource.query<KeyRow[]>(`${this.row} session.id = $1`, [id]);
    return row ?? null;
  }

  /** Valid sessions, newest first. */
  async ofMember(organizationId: string, userId: string): Promise<OpenSession[]> {
    return this.dataSource.query<OpenSession[]>(
      `SELECT * FROM (${this.row} session.organization_id = $1 AND session.user_id = $2) usable
        WHERE NOT disabled AND "revokedAt" IS NULL AND "expiresAt" > now() ORDER BY "createdAt" DESC, id DESC`,
      [organizationId, userId],
    );
  }

  async insert(session: NewSession, tx: Transaction): Promise<void> {
    const { signOn } = session;
    await tx.query(
      `INSERT INTO sessions (id, organization_id, user_id, api_key_id, hash, role, scopes, expires_at,
                             issuer_key, issuer, subject, provider_session, id_token, provider_issued_at,
                             assistant_ids, by_password, activity_ids)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(hours => $17::int), $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        session.id,
        session.organizationId,
        session.userId,
        session.apiKeyId,
        session.hash,
        session.role,
        session.scopes,
        ...signOnColumns(signOn),
        session.assistantIds ?? null,
        session.byPassword ?? false,
        session.activityIds ?? null,
        session.isVouched === true ? VOUCHED_HOURS : this.hours,
      ],
    );
  }

  /** The member of a session that a password opened within the last hour; null for another one. */
  @AcrossOrganizations('sign-in')
  async openedByPassword(id: string): Promise<Pick<SessionEntity, 'organizationId' | 'userId'> | null> {
    const select = { organizationId: true, userId: true } as const;
    return this.dataSource.getRepository(SessionEntity).findOne({
      select,
      where: { id, byPassword: true, createdAt: MoreThan(new Date(Date.now() - LINKING_MS)) },
    });
  }

  /** Null for a session of a key or a link. */
  async signOnOf(id: string): Promise<Pick<SignOn, 'issuerKey' | 'idToken'> | null> {
    const row = await this.dataSource.getRepository(SessionEntity).findOneBy({ id });
    return row === null || row.issuerKey === null ? null : { issuerKey: row.issuerKey, idToken: row.idToken };
  }

  /** Removes the sessions that a provider ended: one of its own, or all of a person. */
  @AcrossOrganizations('sign-in')
  async removeAtProvider(
    { issuer, subject, session, issuedAt }: EndedAtProvider,
    tx: Transaction,
  ): Promise<readonly EndedSession[]> {
    const [column, value] = session === null ? ['subject', subject] : ['provider_session', session];
    const removed = await tx
      .createQueryBuilder()
      .delete()
      .from(SessionEntity)
      .where(`issuer = :issuer AND ${column} = :value`, { issuer, value })
      .andWhere('(provider_issued_at IS NULL OR provider_issued_at <= :issuedAt)', { issuedAt })
      .returning('id, organization_id, user_id')
      .execute();
    return (removed.raw as { id: string; organization_id: string; user_id: string }[]).map((row) => ({
      id: row.id,
      organizationId: row.organization_id,
      userId: row.user_id,
    }));
  }

  async removeOfIssuer(issuerKey: string, tx: Transaction): Promise<void> {
    await tx.getRepository(SessionEntity).delete({ issuerKey });
  }

  @AcrossOrganizations('sign-in')
  async touch(id: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE sessions SET last_seen_at = now() WHERE id = $1 AND last_seen_at < now() - interval '1 minute'`,
      [id],
    );
  }

  @AcrossOrganizations('sign-in')
  async removeByHash(hash: string, tx: Transaction): Promise<boolean> {
    const { affected } = await tx.getRepository(SessionEntity).delete({ hash });
    return affected === 1;
  }

  /** Remembers the first session of a member. Directories read `updated_at` as a version: it stays. */
  async noteFirst({ organizationId, userId }: NewSession, tx: Transaction): Promise<void> {
    await tx.query(
      `UPDATE members SET first_signed_in_at = now()
        WHERE organization_id = $1 AND user_id = $2 AND first_signed_in_at IS NULL`,
      [organizationId, userId],
    );
  }

  /** Removes expired sessions, and the oldest ones of a member with too many. */
  async removeStale({ organizationId, userId }: NewSession, tx: Transaction): Promise<void> {
    await tx.query('DELETE FROM sessions WHERE expires_at < now()');
    await tx.query(
      `DELETE FROM sessions WHERE id IN (
         SELECT id FROM sessions WHERE organization_id = $1 AND user_id = $2 ORDER BY created_at DESC OFFSET $3)`,
      [organizationId, userId, MOST_SESSIONS],
    );
  }

  /** False when there is no such session. */
  async removeOne({ organizationId, userId, id }: SessionOfMember, tx: Transaction): Promise<boolean> {
    const { affected } = await tx.getRepository(SessionEntity).delete({ organizationId, userId, id });
    return affected === 1;
  }

  /** Removes all but `spared`; returns their number. */
  async removeOfMember(
    organizationId: string,
    userId: string,
    tx: Transaction,
    spared: string | null = null,
  ): Promise<number> {
    const others = spared === null ? {} : { id: Not(spared) };
    const { affected } = await tx.getRepository(SessionEntity).delete({ organizationId, userId, ...others });
    return affected ?? 0;
  }
}
