import { Outlet } from '@remix-run/react';
import { FilmStrip } from '#app/components/layout/film-strip.tsx';
import classes from './_auth.module.css';

/** Frame of the sign-in and sign-up pages: the form beside a strip of film. */
export default function AuthLayout() {
  return (
    <div className={classes.root}>
      <div className={classes.form}>
        <Outlet />
      </div>
      <div className={classes.strip}>
        <FilmStrip frames={5} vertical />
      </div>
    </div>
  );
}
