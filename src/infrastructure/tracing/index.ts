export { RequestSpans, Tracer } from './tracer';
export { TracingModule } from './tracing.module';
