import { Global, Module } from '@nestjs/common';
import { SignalsModule } from '../signals';
import { TableChanges } from './row-cache';

@Global()
@Module({ imports: [SignalsModule], providers: [TableChanges], exports: [TableChanges] })
export class RowCacheModule {}
