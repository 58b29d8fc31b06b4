import { Module } from '@nestjs/common';

/** Rewrites of stored metadata: convert, the operator's batches, and the proof that prompts stay the same. */
@Module({})
export class MigrationModule {}
