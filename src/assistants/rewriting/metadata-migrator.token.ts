import type { MetadataVersion, RewritePlan } from '../definition';
import type { RewriteSubject } from './rewriting.types';

/** Bound by the module that can render prompts of both assistant types. */
export const METADATA_MIGRATOR = Symbol('METADATA_MIGRATOR');

/** Migrates definitions and proves that their prompts stay the same. A document never makes it reject. */
export interface MetadataMigrator {
  plan(subject: RewriteSubject, to: MetadataVersion): Promise<RewritePlan>;
}
