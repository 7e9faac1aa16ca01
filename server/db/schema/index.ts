export * from './audit-log.ts';
export * from './channels.ts';
export * from './credits.ts';
export * from './generation-tasks.ts';
export * from './users.ts';
export * from './webhooks.ts';
