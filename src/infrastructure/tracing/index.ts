export { RequestSpans } from './request-spans';
export { Tracer } from './tracer';
export { TracingModule } from './tracing.module';
