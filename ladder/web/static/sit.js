"use strict";
/* An invitation is /sit#SECRET: what stands behind the # is sent only with the form. */
function take() {
  const secret = location.hash.slice(1);
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  document.getElementById("invitation").value = secret;
  document.getElementById("name").focus();
  const told = document.getElementById("invited");
  fetch("/sit/invited", { method: "POST", body: new URLSearchParams({ invitation: secret }) })
    .then(async (answer) => {
      if (answer.ok) told.textContent = await answer.text();
      if (answer.status === 404) told.textContent = "This invitation is not valid: the match has begun or is over, the link was changed, or never was one.";
    }, () => {});
}
document.addEventListener("DOMContentLoaded", take);
addEventListener("hashchange", take);
