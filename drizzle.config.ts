import { defineConfig } from 'drizzle-kit';

/**
 * `npm run db:…` starts the embedded PostgreSQL when DATABASE_URL is not set; plain `npx drizzle-kit …` needs it.
 * `generate` and `check` only read files.
 */
const url = process.env.DATABASE_DIRECT_URL || process.env.DATABASE_URL;
const needsDatabase = ['migrate', 'push', 'pull', 'introspect', 'studio'].includes(process.argv[2] ?? '');

if (needsDatabase && !url) {
  console.error(
    'DATABASE_URL is not set: set it, or use `npm run db:migrate` and `npm run db:studio`, which start the embedded PostgreSQL.',
  );
  process.exit(1);
}

export default defineConfig({
  dialect: 'postgresql',
  schema: './server/db/schema/index.ts',
  out: './drizzle',
  strict: true,
  dbCredentials: { url: url ?? '' },
});
