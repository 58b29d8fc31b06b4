import { Module } from '@nestjs/common';
import { LambImport } from './lamb-import.service';

/** Moves an existing LAMB installation in: organization by organization, again and again without doubling anything. */
@Module({ providers: [LambImport], exports: [LambImport] })
export class LambImportModule {}
