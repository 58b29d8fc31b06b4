import { Global, Module } from '@nestjs/common';
import { TraceMetrics } from './span-exporter';
import { Tracer } from './tracer';

@Global()
@Module({ providers: [TraceMetrics, Tracer], exports: [Tracer] })
export class TracingModule {}
