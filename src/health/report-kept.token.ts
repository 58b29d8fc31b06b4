/** Injects the milliseconds within which readers of the health get one report. Tests change what it reports. */
export const REPORT_KEPT_MS = Symbol('REPORT_KEPT_MS');
