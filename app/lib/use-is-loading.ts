import { useCallback, useContext } from 'react';
import { UNSAFE_DataRouterContext as DataRouterContext } from 'react-router';

/**
 * Returns what says whether the page's data is being loaded at this very moment. It asks the router: the states that
 * `useNavigation` and `useRevalidator` give are those of the last render, which a busy browser may be behind with, and a
 * second load breaks off the first one in the middle of its answer.
 */
export function useIsLoading(): () => boolean {
  const router = useContext(DataRouterContext)?.router;
  return useCallback(() => {
    if (!router) return false;
    const { navigation, revalidation, fetchers } = router.state;
    return (
      navigation.state !== 'idle' ||
      revalidation !== 'idle' ||
      // A submit that has its reply and loads the page after it.
      [...fetchers.values()].some((fetcher) => fetcher.state === 'loading')
    );
  }, [router]);
}
