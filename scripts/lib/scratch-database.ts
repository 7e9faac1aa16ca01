import postgres from 'postgres';

/**
 * A database of this process' own on a server that several may share: `<prefix>_<pid>`. Those that killed processes
 * left behind are removed first.
 */
export async function createScratchDatabase(
  serverUrl: string,
  prefix: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `${prefix}_${process.pid}`;
  const withAdmin = async (work: (admin: postgres.Sql) => Promise<void>) => {
    const admin = postgres(serverUrl, { max: 1, onnotice: () => {} });
    try {
      await work(admin);
    } finally {
      await admin.end({ timeout: 5 });
    }
  };
  const drop = () =>
    withAdmin(async (admin) => {
      await admin`drop database if exists ${admin(name)} with (force)`;
    });
  await withAdmin(async (admin) => {
    const left = await admin<
      { datname: string }[]
    >`select datname from pg_database where datname like ${`${prefix}\\_%`}`;
    for (const { datname } of left) {
      if (!isAlive(Number(datname.slice(prefix.length + 1))))
        await admin`drop database ${admin(datname)} with (force)`;
    }
  });
  await drop();
  await withAdmin(async (admin) => {
    await admin`create database ${admin(name)}`;
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
