import { Global, Module } from '@nestjs/common';
import { Admission } from './admission';

@Global()
@Module({ providers: [Admission], exports: [Admission] })
export class AdmissionModule {}
