/** The processor time of this thread that some work takes: other processes do not change it. */
export const cpuMillisecondsOf = (work: () => unknown): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};
