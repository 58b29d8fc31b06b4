import { Module } from '@nestjs/common';

/** Moves an existing LAMB installation in: organization by organization, again and again without doubling anything. */
@Module({})
export class LambImportModule {}
