export * from './check-receipt';
