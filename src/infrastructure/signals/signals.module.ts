import { Global, Module } from '@nestjs/common';
import { Signals } from './signals';

@Global()
@Module({ providers: [Signals], exports: [Signals] })
export class SignalsModule {}
