import { type Page, pageOf, type PageRequest, uuidCursor, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import {
  AcrossOrganizations,
  TenantScope,
  type Transaction,
  VersionedScope,
  tenantRepository,
} from '../../../src/infrastructure/database';
import { BRIDGE_ISSUER } from '../platforms/platform.entity';
import { BridgeEntity } from './bridge.entity';
import { BridgeKeyEntity } from './bridge-key.entity';
import type { KeyKind, NamedKey } from './bridge.types';

/** Organizations that took in the same LAMB have the same key. */
const MOST_OF_ONE_KEY = 200;

export interface KeyOfBridge {
  readonly key: BridgeKeyEntity;
  readonly bridge: BridgeEntity;
}

export class BridgeScope extends VersionedScope<BridgeEntity> {
  own(): Promise<BridgeEntity | null> {
    return this.rows.findOneBy(this.where());
  }

  /** The bridge of the organization, made switched off where there is none. */
  async ensure(): Promise<BridgeEntity> {
    const known = await this.own();
    if (known !== null) return known;
    await this.rows.query(
      `INSERT INTO lti_platforms
         (id, organization_id, name, issuer, client_id, authorization_endpoint, token_endpoint, jwks_uri, active)
       VALUES ($1, $2, 'LTI 1.1', $3, $4, '', '', '', false)
       ON CONFLICT ON CONSTRAINT lti_platforms_client_uq DO NOTHING`,
      [uuidv7(), this.organizationId, BRIDGE_ISSUER, this.organizationId],
    );
    await this.rows.query(
      `INSERT INTO lti_bridges (id, organization_id)
       SELECT id, organization_id FROM lti_platforms WHERE organization_id = $1 AND issuer = $2
       ON CONFLICT ON CONSTRAINT lti_bridges_organization_uq DO NOTHING`,
      [this.organizationId, BRIDGE_ISSUER],
    );
    const made = await this.own();
    if (made === null) throw new Error('A bridge that was just made is missing');
    return made;
  }
}

@Injectable()
export class BridgeRepository extends tenantRepository(BridgeEntity, () => BridgeScope) {
  keysWithin(organizationId: string, tx?: Transaction): BridgeKeyScope {
    return new BridgeKeyScope((tx ?? this.dataSource.manager).getRepository(BridgeKeyEntity), organizationId);
  }

  /** The keys of all organizations with this name. */
  @AcrossOrganizations('sign-in')
  async named(consumerKey: string, kind: KeyKind): Promise<KeyOfBridge[]> {
    const rows = this.dataSource.getRepository(BridgeKeyEntity);
    const keys = await rows.find({ where: { consumerKey, kind }, order: { id: 'ASC' }, take: MOST_OF_ONE_KEY });
    if (keys.length === 0) return [];
    const ids = In(keys.map(({ bridgeId }) => bridgeId));
    const bridges = new Map(
      (await this.dataSource.getRepository(BridgeEntity).findBy({ id: ids })).map((bridge) => [bridge.id, bridge]),
    );
    return keys.flatMap((key) => {
      const bridge = bridges.get(key.bridgeId);
      return bridge === undefined ? [] : [{ key, bridge }];
    });
  }
}

export class BridgeKeyScope extends TenantScope<BridgeKeyEntity> {
  /** Oldest first. */
  async page({ limit, cursor }: PageRequest): Promise<Page<BridgeKeyEntity>> {
    const after = uuidCursor(cursor);
    const total = await this.rows.countBy(this.where());
    // Ids grow with time (UUID version 7).
    const where = this.where(after === null ? {} : { id: MoreThan(after) });
    const found = await this.rows.find({ where, order: { id: 'ASC' }, take: limit + 1 });
    return { ...pageOf(found, limit, ({ id }) => id), total };
  }

  /** Keys of every kind. */
  named(consumerKey: string): Promise<BridgeKeyEntity[]> {
    return this.rows.findBy(this.where({ consumerKey }));
  }

  ofKind({ kind, consumerKey }: NamedKey): Promise<BridgeKeyEntity | null> {
    return this.rows.findOneBy(this.where({ kind, consumerKey }));
  }

  all(): Promise<BridgeKeyEntity[]> {
    return this.rows.findBy(this.where());
  }

  /** At most once an hour: a lecture hall launches at once. */
  async markLaunch(id: string): Promise<void> {
    await this.rows.query(
      `UPDATE lti_bridge_keys SET last_launch_at = now()
        WHERE organization_id = $1 AND id = $2 AND coalesce(last_launch_at < now() - interval '1 hour', true)`,
      [this.organizationId, id],
    );
  }
}
