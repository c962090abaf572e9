"use strict";
/* An invitation is /sit#SECRET: what stands behind the # is sent only with the form. */
document.addEventListener("DOMContentLoaded", () => {
  const secret = location.hash.slice(1);
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  document.getElementById("invitation").value = secret;
  document.getElementById("name").focus();
});
