"use strict";
/* An invitation is /sit#SECRET: what stands behind the # is sent only with the form. */
function take() {
  const secret = location.hash.slice(1);
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  document.getElementById("invitation").value = secret;
  const told = document.getElementById("invited"), form = document.getElementById("sit");
  form.hidden = false;
  document.getElementById("name")?.focus();
  fetch("/sit/invited", { method: "POST", headers: { accept: "application/json" }, body: new URLSearchParams({ invitation: secret }) })
    .then(async (answer) => {
      told.textContent = answer.ok ? await answer.text() : (await answer.json()).problem;
      form.hidden = !answer.ok;
    }, () => {});
}
document.addEventListener("DOMContentLoaded", take);
addEventListener("hashchange", take);
