import { Check, Column, Entity, Index, Unique } from 'typeorm';
import { DatedEntity } from '../../../src/infrastructure/database';
import type { KeyKind } from './bridge.types';

/** A consumer key of OAuth 1.0. Several organizations may have the same one. */
@Entity('lti_bridge_keys')
@Unique('lti_bridge_keys_key_uq', ['bridgeId', 'kind', 'consumerKey'])
@Index('lti_bridge_keys_consumer_idx', ['consumerKey', 'kind'])
@Index('lti_bridge_keys_organization_idx', ['organizationId'])
@Check('lti_bridge_keys_kind_ck', `"kind" IN ('assistant', 'activity', 'creator')`)
@Check('lti_bridge_keys_assistant_ck', `("kind" = 'assistant') = ("assistant_id" IS NOT NULL)`)
export class BridgeKeyEntity extends DatedEntity {
  @Column('uuid', { name: 'bridge_id' })
  bridgeId!: string;

  @Column('text')
  kind!: KeyKind;

  @Column('text', { name: 'consumer_key' })
  consumerKey!: string;

  /** Sealed; null for kind `assistant`, whose secret the bridge has, and where it is not known yet. */
  @Column('text', { nullable: true })
  secret!: string | null;

  @Column('integer', { name: 'assistant_id', nullable: true })
  assistantId!: number | null;

  /** To the hour. */
  @Column('timestamptz', { name: 'last_launch_at', nullable: true })
  lastLaunchAt!: Date | null;
}
